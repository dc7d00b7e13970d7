# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Writes SOURCE, which defines page_template() as the bytes of FILE.
file(READ ${FILE} digits HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${digits}")
# A line for each hundred bytes: adjacent literals are one.
string(REPEAT "." 400 line)
string(REGEX REPLACE "(${line})" "\\1\"\n    \"" bytes "${bytes}")
file(WRITE ${SOURCE} "// Generated from tools/web/built/page.html by embed_page.cmake.
#include \"tools/report/page/page_template.hpp\"

namespace prof::reports {
namespace {

constexpr char kPage[] =
    \"${bytes}\";

}  // namespace

std::string_view page_template() { return {kPage, sizeof kPage - 1}; }

}  // namespace prof::reports
")
