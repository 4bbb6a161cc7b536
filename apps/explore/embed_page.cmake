# Makes a C++ source file of the files of the page, for page_files.h.
#   cmake -D OUTPUT=F.cpp -D "SCRIPTS=a.js b.js" -P embed_page.cmake      the paths are relative to page/
set(page ${CMAKE_CURRENT_LIST_DIR}/page)

# Each file is one raw string, because clang wants string literals of at most 65,536 characters.
function(literal result name)
  file(READ ${page}/${name} text)
  set(${result} "R\"page_file(${text})page_file\"" PARENT_SCOPE)
endfunction()

literal(html index.html)
literal(style style.css)
string(CONCAT text "#include \"apps/explore/page_files.h\"\n\nnamespace regard::explore {\n\n"
         "const std::string_view page_html = ${html};\n\nconst std::string_view page_style = ${style};\n\n"
         "namespace {\nconstexpr std::string_view scripts[] = {\n")
string(REPLACE " " ";" SCRIPTS "${SCRIPTS}")
foreach(name ${SCRIPTS})
  literal(script ${name})
  string(APPEND text "${script},\n")
endforeach()
string(APPEND text "};\n}  // namespace\n\nconst std::span<const std::string_view> page_scripts = scripts;\n\n"
                   "}  // namespace regard::explore\n")
file(WRITE ${OUTPUT} "${text}")
