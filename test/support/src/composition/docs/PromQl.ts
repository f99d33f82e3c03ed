/** Reads what a PromQL expression uses, with the grammar of Prometheus itself. */
import { parser } from "@prometheus-io/lezer-promql"

/** A selector of a metric, with the labels that its matchers name and the function that it is the argument of. */
interface Selector {
  readonly metric: string
  readonly labels: ReadonlyArray<string>
  readonly isRange: boolean
  /** The nearest function around it, such as `rate`; `null` without one. */
  readonly within: string | null
}

export interface Used {
  readonly selectors: ReadonlyArray<Selector>
  /** Labels of `by`, `without`, `on`, `ignoring` and `group_left`. */
  readonly grouped: ReadonlyArray<string>
  readonly functions: ReadonlyArray<string>
  /** Whether it does not parse. */
  readonly isWrong: boolean
}

/** What Grafana replaces before it queries. */
export const withoutVariables = (expression: string): string =>
  expression
    .replaceAll("$__rate_interval", "5m")
    .replaceAll("$__range", "1h")
    .replaceAll(/\$[a-z]+/g, "x")

export const read = (expression: string): Used => {
  const selectors: Array<{ -readonly [K in keyof Selector]: Selector[K] } & { labels: Array<string> }> = []
  const grouped: Array<string> = []
  const functions: Array<string> = []
  let isWrong = false
  parser.parse(expression).iterate({
    enter: (node) => {
      const text = expression.slice(node.from, node.to)
      const { name } = node.type
      if (node.type.isError) isWrong = true
      if (name === "FunctionIdentifier") functions.push(text)
      if (name === "VectorSelector") {
        let within: string | null = null
        let isRange = false
        for (let up = node.node.parent; up !== null; up = up.parent) {
          if (up.name === "MatrixSelector") isRange = true
          if (up.name !== "FunctionCall") continue
          within = expression.slice(up.from, up.to).split("(")[0] ?? null
          break
        }
        selectors.push({ metric: "", labels: [], isRange, within })
      }
      const last = selectors.at(-1)
      const parent = node.node.parent?.name
      if (name === "Identifier" && parent === "VectorSelector" && last !== undefined) last.metric = text
      if (name !== "LabelName") return
      if (parent === "GroupingLabels" || parent === "GroupLeft" || parent === "GroupRight") grouped.push(text)
      else if (last !== undefined) last.labels.push(text)
    }
  })
  return { selectors, grouped, functions, isWrong }
}
