# SPDX-License-Identifier: Apache-2.0
# Writes gallery.c from model files: cmake -DFOLDER=models -DOUT=gallery.c -P tools/embed_gallery.cmake
# Texts become bytes, so that no quoting rule of any language can change them.
file(GLOB files ${FOLDER}/*.act)
list(SORT files)
set(texts "")
set(rows "")
set(index 0)
foreach(file IN LISTS files)
  get_filename_component(stem ${file} NAME_WE)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}00")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  # The title: the opening comment up to its first stop.
  file(READ ${file} text)
  string(REGEX MATCH "^(#[^\n]*\n)+" title "${text}")
  string(REGEX REPLACE "[ \t\r]*(^|\n)#+[ \t]*" " " title "${title}")
  string(REGEX REPLACE "( [(][A-Z]|[:;.][ \n]).*" "" title "${title}")
  string(STRIP "${title}" title)
  string(REGEX REPLACE "([\\\"?])" "\\\\\\1" title "${title}")
  string(APPEND texts "static const unsigned char text_${index}[] = {\n${bytes} };\n")
  string(APPEND rows "    { \"${stem}\", \"${title}\", (const char *)text_${index} },\n")
  math(EXPR index "${index} + 1")
endforeach()
if(index EQUAL 0)
  set(rows "    { \"\", \"\", \"\" },\n")
endif()
file(WRITE ${OUT}.new "/* Generated from models/ by tools/embed_gallery.cmake. */
#include \"api/gallery.h\"

${texts}
const struct actio_example actio_gallery_examples[] = {
${rows}};
const size_t actio_gallery_count = ${index};
")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
