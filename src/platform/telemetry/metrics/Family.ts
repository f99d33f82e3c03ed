/** A documented metric with a series per set of label values, in the registry of the context that updates it. */
import { Metric } from "effect"

type Values<Labels extends ReadonlyArray<string>> = { readonly [I in keyof Labels]: string }

export interface Family<Labels extends ReadonlyArray<string>, State> {
  readonly name: string
  readonly labels: ReadonlyArray<string>
  readonly help: string
  readonly type: "counter" | "gauge" | "histogram"
  /** The series of these label values. There must be few combinations: every series stays in memory. */
  readonly of: (...values: Values<Labels>) => Metric.Metric<number, State>
}

/** The fields shown in the list of all metrics. */
export type Described = Pick<Family<ReadonlyArray<string>, unknown>, "name" | "labels" | "help" | "type">

interface Node<State> {
  readonly children: Map<string, Node<State>>
  series: Metric.Metric<number, State> | undefined
}

interface SeriesOptions {
  readonly description: string
  readonly attributes: Readonly<Record<string, string>>
}

const family = <const Labels extends ReadonlyArray<string>, State>(
  type: Described["type"],
  name: string,
  help: string,
  names: Labels | undefined,
  create: (options: SeriesOptions) => Metric.Metric<number, State>
): Family<Labels, State> => {
  const labels: ReadonlyArray<string> = names ?? []
  const root: Node<State> = { children: new Map(), series: undefined }
  const made = (values: ReadonlyArray<string>) =>
    create({
      description: help,
      attributes: Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ""]))
    })
  return {
    name,
    labels,
    help,
    type,
    // Looked up label by label, so that hot routes build no combined key.
    of: (...values) => {
      let node = root
      for (const value of values) {
        let next = node.children.get(value)
        if (next === undefined) {
          next = { children: new Map(), series: undefined }
          node.children.set(value, next)
        }
        node = next
      }
      return (node.series ??= made(values))
    }
  }
}

/**
 * @param name `inferlog_…` in base units: `_seconds`, `_bytes`; `_total` for counters.
 * @param help one sentence without a full stop.
 */
export const counter = <const Labels extends ReadonlyArray<string> = []>(
  name: string,
  help: string,
  labels?: Labels
) =>
  family("counter", name, help, labels, (options) => Metric.counter(name, { ...options, incremental: true }))

/** Parameters as for `counter`. */
export const gauge = <const Labels extends ReadonlyArray<string> = []>(
  name: string,
  help: string,
  labels?: Labels
) => family("gauge", name, help, labels, (options) => Metric.gauge(name, options))

/** Parameters as for `counter`, and the upper bounds, ascending, without infinity. */
export const histogram = <const Labels extends ReadonlyArray<string> = []>(
  name: string,
  help: string,
  boundaries: ReadonlyArray<number>,
  labels?: Labels
) => family("histogram", name, help, labels, (options) => Metric.histogram(name, { ...options, boundaries }))
