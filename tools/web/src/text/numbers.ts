// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers as the reports write them. The twin of tools/report/table/value_text.cpp and
// time_text.cpp: change both.

const EXACT_INTEGERS = 2 ** 53;
const DECIMALS_OF_NS = 6;
const MOST_GROUPED = 1e15;

/** With so many decimals; exact halves go to the even digit, as C++'s do. */
export function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  // A half is exact only if it has one more digit, and then toFixed() rounds away from zero.
  const longer = value.toFixed(Math.min(100, decimals + 30));
  const rest = longer.slice(longer.indexOf(".") + 1 + decimals);
  if (!/^50*$/.test(rest)) return text;
  const isOdd = Number(text.at(-1)) % 2 === 1;
  if (!isOdd) return text;
  const step = 10 ** -decimals;
  return (value > 0 ? value - step / 2 : value + step / 2).toFixed(decimals);
}

/** "1234567.8" as "1,234,567.8"; numbers with an exponent stay. */
export function grouped(text: string): string {
  const match = /^(\D*)(\d+)(.*)$/s.exec(text);
  if (!match || match[3]?.startsWith("e")) return text;
  const [, sign = "", digits = "", rest = ""] = match;
  return sign + digits.replace(/\B(?=(\d{3})+$)/g, ",") + rest;
}

/** Decimals that leave a positive value so many digits; rounding may add one. */
function decimalsFor(value: number, digits: number): number {
  const decimals = digits - 1 - Math.floor(Math.log10(value));
  const addsOne = Math.round(value * 10 ** decimals) >= 10 ** digits;
  return addsOne ? decimals - 1 : decimals;
}

function fixedOrGrouped(value: number, decimals: number): string {
  if (decimals > 0) return fixed(value, Math.min(decimals, DECIMALS_OF_NS));
  if (value < MOST_GROUPED) return grouped(String(Math.round(value)));
  return value.toPrecision(3);
}

/** Milliseconds with three digits, nothing below a nanosecond: "0.00230", "39.1", "6,688". */
export function ms(timeNs: number): string {
  const magnitude = Math.abs(timeNs) / 1e6;
  const decimals = Math.abs(timeNs) < 0.5 ? 0 : decimalsFor(magnitude, 3);
  return (timeNs < 0 ? "-" : "") + fixedOrGrouped(magnitude, decimals);
}

/** Two digits: "~0.72", "~39", "~6,700". */
export function estimate(value: number): string {
  const magnitude = Math.abs(value);
  const decimals = magnitude > 0 ? decimalsFor(magnitude, 2) : 0;
  const step = 10 ** Math.max(0, -decimals);
  const rounded = step > 1 ? Math.round(magnitude / step) * step : magnitude;
  return (value < 0 ? "~-" : "~") + fixedOrGrouped(rounded, decimals);
}

/** Nanoseconds as milliseconds with all digits. */
export function instant(timeNs: number): string {
  const magnitude = Math.abs(timeNs);
  const whole = Math.floor(magnitude / 1e6);
  const rest = String(magnitude - whole * 1e6).padStart(6, "0");
  return `${timeNs < 0 ? "-" : ""}${whole}.${rest}`;
}

/** "13.980ms": three decimals in us, ms or s. */
export function scaledTime(timeNs: number): string {
  const us = timeNs / 1e3;
  const magnitude = Math.abs(us);
  if (magnitude >= 1e6) return fixed(us / 1e6, 3) + "s";
  return magnitude >= 1e3 ? fixed(us / 1e3, 3) + "ms" : fixed(us, 3) + "us";
}

/** As nvprof writes a time: whole nanoseconds, then five digits, of seconds six. */
export function timeDigits(timeNs: number): string {
  const magnitude = Math.abs(timeNs);
  const sign = timeNs < 0 ? "-" : "";
  if (magnitude < 1000) return `${sign}${magnitude}ns`;
  const units = [
    { ns: 1e3, digits: 5, name: "us" },
    { ns: 1e6, digits: 5, name: "ms" },
    { ns: 1e9, digits: 6, name: "s" },
  ];
  for (const { ns, digits, name } of units) {
    let decimals = digits - 1;
    let steps = Math.floor((magnitude * 10 ** decimals) / ns + 0.5);
    while (decimals > 0 && steps >= 10 ** digits) {
      decimals -= 1;
      steps = Math.floor((magnitude * 10 ** decimals) / ns + 0.5);
    }
    if (steps >= 1000 * 10 ** decimals && name !== "s") continue;
    return sign + (steps / 10 ** decimals).toFixed(decimals) + name;
  }
  return "";
}

/** Shortest form that parses back to the same value, for programs: "12", "0.1", "1e-05". */
export function real(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < EXACT_INTEGERS) return String(value);
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  // JavaScript itself writes an exponent below 1e-6 alone.
  if (exponent >= -4 && exponent < 16) return String(value);
  const digits = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
}
