// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The first screen: what a step is, where it goes, what to do. All of it are lines of the reports
// summary and advice.
import { groupsOf } from "../canvas/groups";
import type { Side } from "../data/document";
import type { Table } from "../data/model";
import { ABSENT } from "../text/cells";
import { shortened } from "../text/safe";
import { AdviceList } from "./advice_list";
import { DiffVerdict } from "./diff_view";
import { chosenGpu, gpusOf, type Gpu } from "./gpus";
import { LateRanks } from "./late_ranks";
import { MOST_OF_A_TEXT, Name } from "./name";
import { usePage } from "./page_context";
import { StepBar } from "./step_bar";
import { summaryLine, summaryLines, type SummaryLine } from "./summary_rows";

export function Overview() {
  const { model } = usePage();
  if (!model.isDiff) {
    return (
      <>
        <LateRanks />
        <OneSide side={null} />
      </>
    );
  }
  return (
    <>
      <DiffVerdict />
      <div class="sides-by-side">
        <section aria-label="Before">
          <h2>Before</h2>
          <OneSide side="base" />
        </section>
        <section aria-label="After">
          <h2>After</h2>
          <OneSide side="new" />
        </section>
      </div>
    </>
  );
}

function OneSide({ side }: { side: Side | null }) {
  const { model, state } = usePage();
  const summary = model.table("summary", side);
  const advice = model.table("advice", side);
  const gpus = gpusOf(model, side);
  const gpu = chosenGpu(model, gpus, state.canvas[CHOSEN_GPU]);
  if (!summary && !advice) {
    return model.isComplete ? <p>The page has no summary.</p> : null;
  }
  return (
    <>
      {gpus.length > 1 && <GpuChoice gpus={gpus} gpu={gpu} />}
      {summary && <StepFacts summary={summary} gpu={gpu} />}
      {summary && <StepBar summary={summary} gpu={gpu} />}
      <div class="columns">
        {advice && <AdviceList advice={advice} summary={summary} gpu={gpu} />}
        {summary && <Slowest summary={summary} gpu={gpu} />}
      </div>
    </>
  );
}

const CHOSEN_GPU = "overview.gpu";

/** Each rank has a step of its own. */
function GpuChoice({ gpus, gpu }: { gpus: readonly Gpu[]; gpu: Gpu | undefined }) {
  const { model, store } = usePage();
  const shown = new Set(gpus.map(({ trace }) => trace)).size;
  return (
    <p class="gpus">
      <label>
        Step of{" "}
        <select
          value={gpu?.name}
          onChange={({ currentTarget }) => store.setCanvas(CHOSEN_GPU, currentTarget.value)}
        >
          {gpus.map(({ name }) => (
            <option key={name} value={name}>
              {shortened(name, 60)}
            </option>
          ))}
        </select>
      </label>
      {!model.isDiff && shown < model.traces.length && (
        <span class="faint">
          {" "}
          {shown} of {model.traces.length} traces are here in full; --rank chooses others
        </span>
      )}
    </p>
  );
}

/** The quantities that stand in the bar below, or mean nothing to who sees the page first. */
const ELSEWHERE = new Set(["computing", "idle", "exposed copies", "exposed collectives"]);

interface OfGpu {
  readonly summary: Table;
  readonly gpu: Gpu | undefined;
}

function StepFacts({ summary, gpu }: OfGpu) {
  const step = summaryLines(summary, "step", gpu);
  const others = ["memory", "device"].flatMap((section) =>
    summaryLines(summary, section, gpu),
  );
  const period = summaryLine(step, "period");
  return (
    <div class="tiles">
      {period && (
        <div class="tile main">
          <span class="label">Step</span>
          <strong>{period.time} ms</strong>
          <Name text={period.detail} most={MOST_OF_A_TEXT} />
        </div>
      )}
      {[...step, ...others]
        .filter((line) => line !== period && !ELSEWHERE.has(line.what))
        .map((line) => (
          <Tile key={line.row} line={line} />
        ))}
    </div>
  );
}

function Tile({ line }: { line: SummaryLine }) {
  const { time, share, detail } = line;
  const value = time !== ABSENT ? `${time} ms` : share !== ABSENT ? `${share} %` : "";
  return (
    <div class="tile">
      <Name text={line.what} />
      {value && <strong>{value}</strong>}
      <Name text={detail} most={MOST_OF_A_TEXT} />
    </div>
  );
}

const LISTS = [
  { section: "layer", key: "layer", title: "Slowest layers, by direction" },
  { section: "op", key: "op", title: "Slowest ops, by direction" },
  { section: "headroom", key: "op", title: "Farthest from the hardware's limit" },
] as const;

function Slowest({ summary, gpu }: OfGpu) {
  return (
    <>
      {LISTS.map(({ section, key, title }) => (
        <SlowList
          key={section}
          title={title}
          what={key}
          lines={summaryLines(summary, section, gpu)}
        />
      ))}
    </>
  );
}

function SlowList(props: { title: string; what: "layer" | "op"; lines: readonly SummaryLine[] }) {
  const { title, what, lines } = props;
  const { model, store } = usePage();
  if (lines.length === 0) return null;
  const hasAll = groupsOf(model, store.state.side) !== undefined;
  const most = Math.max(...lines.map(({ sharePct }) => sharePct));
  return (
    <section class="card" aria-label={title}>
      <h2>
        {title} <span class="faint">in a step</span>{" "}
        {hasAll && (
          <button
            type="button"
            class="link more"
            title="every layer, op and shape, all directions side by side"
            onClick={() => store.set({ view: "icicle", selection: {} })}
          >
            all
          </button>
        )}
      </h2>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{what === "layer" ? "Layer" : "Op"}</th>
            <th scope="col">Direction</th>
            <th scope="col" class="right" title="in a step: the mean of the steady steps">
              Time(ms)
            </th>
            <th scope="col" class="right" title="of the step's period">
              Step(%)
            </th>
            <th scope="col">Detail</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.row}>
              <td>
                <button
                  type="button"
                  class="link"
                  onClick={() => {
                    const dir = line.dir === null ? {} : { dir: line.dir };
                    store.set({ view: "icicle", selection: { [what]: line.what, ...dir } });
                  }}
                >
                  <Name text={line.what} most={48} />
                </button>
              </td>
              <td>{line.dir ?? ABSENT}</td>
              <td class="right">{line.time}</td>
              <td class="right">
                <span class="meter" style={{ width: `${(36 * line.sharePct) / most || 0}px` }} />
                {line.share}
              </td>
              <td class="faint">
                <Name text={line.detail} most={60} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
