#pragma once

#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace regard::tests {

/// A connection to a server on this machine. It sends and receives bytes as they are.
class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      ::close(socket_);
      throw std::runtime_error("the server does not accept a connection");
    }
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::close(socket_); }

  /// Sends bytes, as many as the server takes.
  void send(const std::string& bytes) const {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
  }

  /// Returns all that the server sends until it closes the connection.
  std::string receive() const {
    std::string all;
    std::array<char, 65536> some{};
    for (;;) {
      const ssize_t count = ::recv(socket_, some.data(), some.size(), 0);
      if (count <= 0) return all;
      all.append(some.data(), static_cast<std::size_t>(count));
    }
  }

  /// True if the server has sent something or closed the connection.
  bool has_reply() const {
    pollfd readable{.fd = socket_, .events = POLLIN, .revents = 0};
    return ::poll(&readable, 1, 0) > 0;
  }

 private:
  int socket_;
};

/// A whole reply, with its head, to a GET. `headers` are further lines, each with its line end.
inline std::string get(int port, const std::string& path, const std::string& headers = "") {
  const Connection connection(port);
  connection.send(fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", path, port, headers));
  return connection.receive();
}

/// A POST of JSON as it is sent.
inline std::string post_text(const std::string& path, const std::string& body,
                             const std::string& headers = "") {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "{}\r\n{}\r\n{}",
      path, body.size(), headers, body);
}

/// The reply to it.
inline std::string post(int port, const std::string& path, const std::string& body,
                        const std::string& headers = "") {
  const Connection connection(port);
  connection.send(post_text(path, body, headers));
  return connection.receive();
}

inline int status_of(const std::string& reply) {
  return reply.starts_with("HTTP/1.1 ") ? std::stoi(reply.substr(9, 3)) : 0;
}

inline std::string body_of(const std::string& reply) {
  const std::size_t end = reply.find("\r\n\r\n");
  return end == std::string::npos ? "" : reply.substr(end + 4);
}

}  // namespace regard::tests
