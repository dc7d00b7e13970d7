// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A canvas that is as sharp as the screen, fits its host, and is drawn at most once a frame, and
// only after something has changed.

export interface Theme {
  readonly ink: string;
  readonly faint: string;
  readonly line: string;
  readonly paper: string;
  /** Of marks that are not selected. */
  readonly dimmed: string;
  readonly accent: string;
}

/** Those of styles/base.css: a canvas does not read them by itself. */
const LIGHT: Theme = {
  ink: "#1b1f24",
  faint: "#59636e",
  line: "#d1d9e0",
  paper: "#ffffff",
  dimmed: "#dde2e7",
  accent: "#000000",
};
const DARK: Theme = {
  ink: "#e6edf3",
  faint: "#9aa5b1",
  line: "#30363d",
  paper: "#0d1117",
  dimmed: "#333a43",
  accent: "#ffffff",
};

export const FONT = "12px system-ui, sans-serif";

/** In CSS pixels. */
export interface Frame {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  /** Device pixels in a CSS pixel. */
  readonly ratio: number;
}

export class Surface {
  readonly canvas: HTMLCanvasElement;
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private readonly resized: ResizeObserver;
  private readonly again = (): void => this.invalidate();
  private readonly printing = (): void => this.paintNow(LIGHT);
  private request = 0;

  constructor(
    host: HTMLElement,
    private readonly draw: (frame: Frame) => void,
  ) {
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.style.display = "block";
    this.canvas.style.width = "100%";
    host.append(this.canvas);
    this.resized = new ResizeObserver(this.again);
    this.resized.observe(this.canvas);
    this.dark.addEventListener("change", this.again);
    window.addEventListener("beforeprint", this.printing);
    window.addEventListener("afterprint", this.again);
  }

  get width(): number {
    return this.canvas.clientWidth;
  }
  get height(): number {
    return this.canvas.clientHeight;
  }
  set height(pixels: number) {
    const height = `${Math.round(pixels)}px`;
    if (this.canvas.style.height === height) return;
    this.canvas.style.height = height;
    this.invalidate();
  }

  /** Draws with the next frame. */
  invalidate(): void {
    if (this.request !== 0) return;
    this.request = requestAnimationFrame(() => {
      this.request = 0;
      this.paintNow(this.dark.matches ? DARK : LIGHT);
    });
  }

  destroy(): void {
    cancelAnimationFrame(this.request);
    this.resized.disconnect();
    this.dark.removeEventListener("change", this.again);
    window.removeEventListener("beforeprint", this.printing);
    window.removeEventListener("afterprint", this.again);
    this.canvas.remove();
  }

  private paintNow(theme: Theme): void {
    const { canvas, width, height } = this;
    const context = canvas.getContext("2d");
    if (!context || width === 0 || height === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const [columns, lines] = [Math.round(width * ratio), Math.round(height * ratio)];
    // Assigning a size clears the canvas and frees its memory, even if it is the same size.
    if (canvas.width !== columns) canvas.width = columns;
    if (canvas.height !== lines) canvas.height = lines;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = FONT;
    context.textBaseline = "middle";
    this.draw({ context, width, height, theme, ratio });
  }
}
