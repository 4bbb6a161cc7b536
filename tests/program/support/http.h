#pragma once

#include <string>

namespace regard::tests {

/// A connection to a server on this machine. It sends and receives bytes as they are.
class Connection {
 public:
  explicit Connection(int port);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Sends bytes, as many as the server takes.
  void send(const std::string& bytes) const;
  /// True if the server has sent something or closed the connection.
  bool has_reply() const;
  /// Returns all that the server sends until it closes the connection.
  std::string receive() const;

 private:
  int socket_;
};

/// A whole reply, with its head, to a GET. `headers` are further lines, each with its line end.
std::string get(int port, const std::string& path, const std::string& headers = "");
/// A POST of JSON as it is sent.
std::string post_text(const std::string& path, const std::string& body, const std::string& headers = "");
/// The reply to it.
std::string post(int port, const std::string& path, const std::string& body, const std::string& headers = "");

int status_of(const std::string& reply);
std::string body_of(const std::string& reply);

}  // namespace regard::tests
