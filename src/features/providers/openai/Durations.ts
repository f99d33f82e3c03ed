/** Durations in OpenAI's `x-ratelimit-reset-*` headers: `1s`, `6m0s`, `12ms`; other servers send seconds. */

const ms: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

const whole = /^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/
const part = /(\d+(?:\.\d+)?)(ms|h|m|s)/g

/** In ms; `null` if malformed. */
export const parse = (text: string): number | null => {
  const trimmed = text.trim()
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return Number(trimmed) * 1_000
  if (!whole.test(trimmed)) return null
  return [...trimmed.matchAll(part)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (ms[unit ?? ""] ?? 0),
    0
  )
}
