// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import type { Table } from "../data/model";
import { copyText } from "../grid/csv";
import { ABSENT, cellText } from "../text/cells";
import { isOf, type Gpu } from "./gpus";
import { MOST_OF_A_TEXT, Name } from "./name";
import { summaryLine, summaryLines } from "./summary_rows";

interface Props {
  readonly advice: Table;
  readonly summary: Table | undefined;
  readonly gpu: Gpu | undefined;
}

/** What to change, most gain first, with the command that prints the rows behind it. */
export function AdviceList({ advice, summary, gpu }: Props) {
  const all = Array.from({ length: advice.rows }, (_, row) => row);
  const rows = all.filter((row) => isOf(gpu, advice, row));
  const step = summary && summaryLines(summary, "step", gpu);
  const unprofiled = step && summaryLine(step, "period unprofiled")?.time;
  return (
    <section class="card advice" aria-label="What to change">
      <h2>What to change</h2>
      {rows.length === 0 && <p class="faint">{advice.missing || "no advice"}</p>}
      <ol>
        {rows.map((row) => (
          <Advice key={row} advice={advice} row={row} unprofiled={unprofiled} />
        ))}
      </ol>
    </section>
  );
}

/** Shares are of the step without the profiler, which is shorter than the one that was measured:
 *  the line says so, and the time comes first. */
function Advice(props: { advice: Table; row: number; unprofiled: string | undefined }) {
  const { advice, row, unprofiled } = props;
  const print = (word: string) => {
    const column = advice.column(word);
    return column ? cellText(column, row) : ABSENT;
  };
  const show = advice.text("show", row);
  const layers = advice.text("layers", row);
  return (
    <li>
      <p>
        <strong>
          <Name text={print("advice")} />
        </strong>
        {print("gain_low_ns") !== ABSENT && (
          <>
            {" "}
            gains {print("gain_low_ns")} to {print("gain_high_ns")} ms a step,{" "}
            {print("gain_low_pct")} to {print("gain_high_pct")} % of the{" "}
            {unprofiled === undefined
              ? "unprofiled step"
              : `${unprofiled} ms that it takes unprofiled`}
          </>
        )}
      </p>
      <p class="faint">
        <Name text={print("evidence")} most={MOST_OF_A_TEXT} />
        {layers && (
          <>
            {" in "}
            <Name text={layers} />
          </>
        )}
      </p>
      {show && <Command text={show} />}
    </li>
  );
}

/** Commands are shown in full, unless names in them are attacks on the page. */
const MOST_OF_A_COMMAND = 4000;

/** A command to type, with a button that copies it. */
export function Command({ text }: { text: string }) {
  const [said, say] = useState("");
  return (
    <p class="command">
      <code>
        <Name text={text} most={MOST_OF_A_COMMAND} />
      </code>
      <button
        type="button"
        onClick={() => void copyText(text).then((isCopied) => say(isCopied ? "copied" : "no"))}
      >
        {said || "Copy"}
      </button>
    </p>
  );
}
