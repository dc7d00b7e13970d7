// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { shortened } from "../text/safe";

const MOST_SHOWN = 120;
const MOST_TOLD = 2000;

/** Sentences and command lines are shown whole, unless names in them are attacks on the page. */
export const MOST_OF_A_TEXT = 2000;

/** A name from the profiled program, isolated from the direction of the text around it. */
export function Name({ text, most = MOST_SHOWN }: { text: string; most?: number }) {
  const shown = shortened(text, most);
  return <bdi title={shown === text ? undefined : shortened(text, MOST_TOLD)}>{shown}</bdi>;
}
