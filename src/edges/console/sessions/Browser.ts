/** A short description of a browser, such as `Firefox on Linux`, in words of ours: no text of the client is stored. */

const names = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\//],
  ["Safari", /\bSafari\//]
] as const

const systems = [
  ["iOS", /\b(?:iPhone|iPad|iPod)\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/]
] as const

/** Characters of a header that are looked at. */
const most = 512

const first = (all: ReadonlyArray<readonly [string, RegExp]>, text: string): string | null =>
  all.find(([, sign]) => sign.test(text))?.[0] ?? null

/** @param userAgent the header, in any form. */
export const describe = (userAgent: string | undefined): string => {
  const text = (userAgent ?? "").slice(0, most)
  const name = first(names, text)
  const system = first(systems, text)
  if (name === null) return system === null ? "Unknown browser" : `Browser on ${system}`
  return system === null ? name : `${name} on ${system}`
}
