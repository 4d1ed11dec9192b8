# SPDX-License-Identifier: Apache-2.0
# Writes a text file as a C array: cmake -DIN=file -DOUT=header -DNAME=name -P tools/embed_text.cmake
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}00")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
get_filename_component(file ${IN} NAME)
file(WRITE ${OUT}.new "/* Generated from ${file} by tools/embed_text.cmake. */\nstatic const char ${NAME}[] = {\n${bytes} };\n")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
