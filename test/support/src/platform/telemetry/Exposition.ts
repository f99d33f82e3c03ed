/** Parses Prometheus' text format 0.0.4 strictly: throws on every invalid line. */

export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const samplePattern =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|Inf)|NaN)$/
const labelPattern = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/

const labelsOf = (text: string): Readonly<Record<string, string>> => {
  const labels: Record<string, string> = {}
  let rest = text
  while (rest !== "") {
    const [whole = "", name = "", value = ""] = labelPattern.exec(rest) ?? []
    if (whole === "" || name in labels) throw new Error(`no labels: ${text}`)
    labels[name] = value
    rest = rest.slice(whole.length)
  }
  return labels
}

const sampleOf = (line: string): Sample => {
  const match = samplePattern.exec(line)
  if (match === null) throw new Error(`no sample: ${line}`)
  const [, name = "", labels = "", value = ""] = match
  return { name, labels: labelsOf(labels), value: Number(value.replace("Inf", "Infinity")) }
}

/** The sample names that a family of the type may have. */
const suffixes = (type: string) => (type === "histogram" ? ["_bucket", "_sum", "_count"] : [""])

export const parse = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("the last line does not end")
  const families = new Map<string, Family & { samples: Array<Sample> }>()
  const seen = new Set<string>()
  let current: (Family & { samples: Array<Sample> }) | undefined
  let help: readonly [string, string] | undefined
  for (const line of text.slice(0, -1).split("\n")) {
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (keyword === "HELP") {
      help = [name, rest]
    } else if (keyword === "TYPE") {
      if (families.has(name) || help?.[0] !== name) throw new Error(`out of order: ${line}`)
      current = { name, type: rest, help: help[1], samples: [] }
      families.set(name, current)
    } else {
      const sample = sampleOf(line)
      const isOfFamily = suffixes(current?.type ?? "").some(
        (suffix) => sample.name === current?.name + suffix
      )
      if (current === undefined || !isOfFamily) throw new Error(`of no family: ${line}`)
      const identity = line.slice(0, line.lastIndexOf(" "))
      if (seen.has(identity)) throw new Error(`twice: ${line}`)
      seen.add(identity)
      current.samples.push(sample)
    }
  }
  return families
}

/** The value of the only sample with these labels, and perhaps others; `undefined` without one. */
export const valueOf = (
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number | undefined => {
  const family = families.get(name.replace(/_(bucket|sum|count)$/, "")) ?? families.get(name)
  const found = family?.samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  )
  if (found !== undefined && found.length > 1) throw new Error(`more than one ${name}`)
  return found?.[0]?.value
}
