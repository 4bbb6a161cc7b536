#pragma once

#include <span>
#include <string_view>

namespace regard::explore {

// The files of page/. The build makes a source file of them (embed_page.cmake).

extern const std::string_view page_html;                      ///< index.html
extern const std::string_view page_style;                     ///< style.css
extern const std::span<const std::string_view> page_scripts;  ///< *.js, in the order of CMakeLists.txt

}  // namespace regard::explore
