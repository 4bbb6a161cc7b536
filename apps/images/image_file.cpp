// The only file that knows libpng and libjpeg.
#include "apps/images/image_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <csetjmp>
#include <cstdint>
#include <cstdio>  // jpeglib.h needs it
#include <filesystem>
#include <jerror.h>
#include <jpeglib.h>
#include <png.h>
#include <system_error>

#include "autograd/machine/error.h"
#include "autograd/machine/files.h"

namespace regard::images {
namespace {

/// Throws Error for an image without pixels or with too many.
void check_size(Index height, Index width, const std::string& name) {
  if (height < 1 || width < 1) fail("{} has {} x {} pixels; it is no image", name, width, height);
  if (height > most_side || width > most_side || height * width > most_pixels)
    fail("{} has {} x {} pixels; an image may have at most {} on a side and {} in all; make it smaller", name,
         width, height, most_side, most_pixels);
}

Image blank(Index height, Index width) {
  return {.height = height, .width = width, .pixels = std::vector<std::uint8_t>(to_size(3 * height * width))};
}

struct Png : png_image {
  Png() : png_image{} { version = PNG_IMAGE_VERSION; }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  ~Png() { png_image_free(this); }
};

[[noreturn]] void fail_damaged(const std::string& name, const char* reason) {
  fail("{} cannot be read as an image: {}; the file is damaged or incomplete", name, reason);
}

/// Four bytes, the highest first.
Index number_at(std::string_view bytes, std::size_t place) {
  Index number = 0;
  for (const char byte : bytes.substr(place, 4)) number = 256 * number + static_cast<unsigned char>(byte);
  return number;
}

Image decode_png(std::string_view bytes, const std::string& name) {
  // The header begins behind the signature. libpng would not say which of its numbers is wrong.
  if (bytes.size() >= 24 && bytes.substr(12, 4) == "IHDR")
    check_size(number_at(bytes, 20), number_at(bytes, 16), name);
  Png png;
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size())) fail_damaged(name, png.message);
  // libpng leaves out transparency or gamma if they are damaged, and only warns. Other warnings are harmless.
  if (std::string_view(png.message).ends_with("CRC error")) fail_damaged(name, png.message);
  check_size(png.height, png.width, name);
  Image image = blank(png.height, png.width);
  png.format = PNG_FORMAT_RGBA;
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  std::vector<std::uint8_t> with_alpha(to_size(4 * image.height * image.width));
  if (!png_image_finish_read(&png, nullptr, with_alpha.data(), 0, nullptr)) fail_damaged(name, png.message);
  for (std::size_t pixel = 0; pixel < with_alpha.size() / 4; ++pixel) {
    const int alpha = with_alpha[4 * pixel + 3];
    for (std::size_t colour = 0; colour < 3; ++colour)  // over white, as browsers do
      image.pixels[3 * pixel + colour] = static_cast<std::uint8_t>(
          (with_alpha[4 * pixel + colour] * alpha + 255 * (255 - alpha) + 127) / 255);
  }
  return image;
}

/// Reads a JPEG. libjpeg reports errors by longjmp, which must not jump over a destructor. So the functions
/// that call setjmp have no local objects.
class Jpeg {
 public:
  Jpeg() {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = [](j_common_ptr info) { stop(info); };
    errors_.emit_message = [](j_common_ptr info, int level) {
      // libjpeg only warns of damaged data and invents the missing pixels. Unknown versions are harmless.
      const int code = info->err->msg_code;
      if (level < 0 && code != JWRN_ADOBE_XFORM && code != JWRN_JFIF_MAJOR) stop(info);
    };
    info_.client_data = this;
  }
  Jpeg(const Jpeg&) = delete;
  Jpeg& operator=(const Jpeg&) = delete;
  ~Jpeg() { jpeg_destroy_decompress(&info_); }

  bool read_header(std::string_view bytes) {
    if (setjmp(jump_) != 0) return false;
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  /// Fills height * width * 3 bytes.
  bool read_pixels(std::uint8_t* pixels) {
    if (setjmp(jump_) != 0) return false;
    progress_.progress_monitor = [](j_common_ptr info) {
      constexpr int most_scans = 500;  // a small progressive file could take hours with many scans
      if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > most_scans)
        ERREXIT(info, JERR_BAD_PROGRESSION);
    };
    info_.progress = &progress_;
    info_.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = pixels + std::size_t{3} * info_.output_width * info_.output_scanline;
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  const jpeg_decompress_struct& info() const { return info_; }
  const char* message() const { return message_.data(); }

 private:
  [[noreturn]] static void stop(j_common_ptr info) {
    Jpeg& reader = *static_cast<Jpeg*>(info->client_data);
    info->err->format_message(info, reader.message_.data());
    std::longjmp(reader.jump_, 1);
  }

  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf jump_{};
  std::array<char, JMSG_LENGTH_MAX> message_{};
};

Image decode_jpeg(std::string_view bytes, const std::string& name) {
  Jpeg jpeg;
  if (!jpeg.read_header(bytes)) fail_damaged(name, jpeg.message());
  const J_COLOR_SPACE colours = jpeg.info().jpeg_color_space;
  if (colours == JCS_CMYK || colours == JCS_YCCK)
    fail("{} is a JPEG in the colours of a printer (CMYK); save it as RGB", name);
  check_size(jpeg.info().image_height, jpeg.info().image_width, name);
  Image image = blank(jpeg.info().image_height, jpeg.info().image_width);
  if (!jpeg.read_pixels(image.pixels.data())) fail_damaged(name, jpeg.message());
  return image;
}

}  // namespace

Image decode_image(std::string_view bytes, const std::string& name) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return decode_png(bytes, name);
  if (bytes.starts_with("\xff\xd8\xff")) return decode_jpeg(bytes, name);
  fail("{} is no image in PNG or JPEG", name);
}

Image read_image(const std::string& path) {
  constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) fail("{} is a directory; give the path of an image", path);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail("{} is no file; give the path of an image", path);
  if (const auto bytes = std::filesystem::file_size(path, ignored); !ignored && bytes > most_bytes)
    fail("{} has {} bytes; the file of an image may have at most {}", path, bytes, most_bytes);
  return decode_image(read_file(path), path);
}

std::string png_bytes(const Image& image) {
  Png png;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&png, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr))
    fail("an image of {} x {} pixels cannot become PNG: {}", image.width, image.height, png.message);
  bytes.resize(size);
  return bytes;
}

bool names_image(const std::string& text) {
  std::error_code ignored;
  std::string suffix = std::filesystem::path(text).extension();
  std::ranges::transform(suffix, suffix.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return (suffix == ".png" || suffix == ".jpg" || suffix == ".jpeg") &&
         std::filesystem::is_regular_file(text, ignored);
}

}  // namespace regard::images
