// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of kernels and ranges are hostile text: they come from the profiled program. They reach
// the page as text nodes alone, without what would act on the text around them.

/** Control characters, and those that change the direction of what follows. */
const ACTING = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** With acting characters written as escapes: "\u202e". */
export function printable(text: string): string {
  return text.replace(
    ACTING,
    (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

const CUT = "…";

/** At most `most` characters: two thirds of the start, one of the end. Splits no character. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return printable(text);
  const head = Math.ceil(((most - 1) * 2) / 3);
  const tail = most - 1 - head;
  return printable(whole(text.slice(0, head))) + CUT + printable(whole(text.slice(-tail)));
}

/** Without half of a surrogate pair at either end. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}
