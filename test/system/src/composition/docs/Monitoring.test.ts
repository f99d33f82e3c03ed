/** Rules and dashboards in `deploy` name metrics and labels that exist, and use them as their types allow. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Yaml from "yaml"
import * as AllMetrics from "#src/composition/metrics/AllMetrics.ts"
import { root } from "#test/support/ServerProcess.ts"
import * as PromQl from "#test/support/src/composition/docs/PromQl.ts"

const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8")

interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly annotations?: { readonly runbook: string }
}

const rulesFile: { readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }> } = Yaml.parse(
  read("deploy/prometheus/rules.yaml")
)
const rules = rulesFile.groups.flatMap((group) => group.rules)
const alerts = rules.flatMap(({ alert }) => alert ?? [])

interface Panel {
  readonly title: string
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

const dashboards = fs.globSync("deploy/grafana/*.json", { cwd: root }).map((file) => {
  const { panels }: { readonly panels: ReadonlyArray<Panel> } = JSON.parse(read(file))
  return { file, panels }
})

const keda: { spec: { triggers: ReadonlyArray<{ metadata: { query: string } }> } } = Yaml.parse(
  read("deploy/keda/scaledobject.yaml")
)

const expressions = [
  ...rules.map(({ alert, expr, record }) => ({ where: alert ?? record ?? "", expr })),
  ...keda.spec.triggers.map(({ metadata }) => ({ where: "KEDA", expr: metadata.query })),
  ...dashboards.flatMap(({ file, panels }) =>
    panels.flatMap(({ targets = [], title }) =>
      targets.map(({ expr }) => ({ where: `${file}: ${title}`, expr }))
    )
  )
]

interface Series {
  readonly type: string
  readonly labels: ReadonlyArray<string>
}

const ofTarget = ["job", "instance"]

const known = new Map<string, Series>([
  ["up", { type: "gauge", labels: ofTarget }],
  ...AllMetrics.all.flatMap(({ labels, name, type }): Array<[string, Series]> => {
    const all = [...ofTarget, ...labels]
    if (type !== "histogram") return [[name, { type, labels: all }]]
    return [
      [`${name}_bucket`, { type: "counter", labels: [...all, "le"] }],
      [`${name}_sum`, { type: "counter", labels: all }],
      [`${name}_count`, { type: "counter", labels: all }]
    ]
  }),
  ...rules.flatMap(({ record }): Array<[string, Series]> => {
    if (record === undefined) return []
    return [[record, { type: "gauge", labels: (record.split(":")[0] ?? "").split("_") }]]
  })
])

/** What is wrong with the expression. */
const faults = (expr: string): ReadonlyArray<string> => {
  const { functions, grouped, isWrong, selectors } = PromQl.read(PromQl.withoutVariables(expr))
  const found: Array<string> = isWrong || selectors.length === 0 ? ["does not parse"] : []
  const labels = selectors.flatMap(({ metric }) => known.get(metric)?.labels ?? [])
  found.push(...grouped.filter((label) => !labels.includes(label)).map((label) => `no label ${label}`))
  for (const { labels, metric, within } of selectors) {
    const series = known.get(metric)
    if (series === undefined) {
      found.push(`no metric ${metric}`)
      continue
    }
    found.push(
      ...labels.filter((label) => !series.labels.includes(label)).map((label) => `no label ${label}`)
    )
    const isCounted = within === "rate" || within === "increase"
    if (isCounted !== (series.type === "counter")) found.push(`${metric} is a ${series.type}`)
    if (functions.includes("histogram_quantile") && !metric.endsWith("_bucket"))
      found.push(`${metric} has no buckets`)
  }
  return found
}

describe("Rules and dashboards", () => {
  it.each(expressions)("$where names metrics and labels that exist", ({ expr }) => {
    assert.deepStrictEqual(faults(expr), [])
  })

  it("show each metric in a panel: add a new one to a dashboard in deploy/grafana", () => {
    const shown = new Set(
      dashboards
        .flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets))
        .flatMap(({ expr }) => PromQl.read(PromQl.withoutVariables(expr)).selectors)
        .map(({ metric }) => metric)
    )
    const missing = AllMetrics.all.filter(({ name }) => !shown.has(name) && !shown.has(`${name}_bucket`))
    assert.deepStrictEqual(
      missing.map(({ name }) => name),
      []
    )
  })

  it("find wrong names, labels and types", () => {
    assert.deepStrictEqual(faults("sum(inferlog_queue_deep)"), ["no metric inferlog_queue_deep"])
    assert.deepStrictEqual(faults('inferlog_queue_depth{modell="a"}'), ["no label modell"])
    assert.deepStrictEqual(faults("rate(inferlog_queue_depth[5m])"), ["inferlog_queue_depth is a gauge"])
    assert.deepStrictEqual(faults("sum by (x) (inferlog_queue_depth)"), ["no label x"])
    assert.include(faults("sum("), "does not parse")
  })

  it("each alert has a runbook", () => {
    const headings = [...read("docs/operators/alerts.md").matchAll(/^## (.*)$/gm)].map(([, name]) => name)
    assert.deepStrictEqual([...headings].sort(), [...alerts].sort())
    for (const { alert, annotations } of rules) {
      if (alert !== undefined)
        assert.strictEqual(annotations?.runbook, `docs/operators/alerts.md#${alert.toLowerCase()}`)
    }
  })

  it("each alert has a test that it fires and one that it does not", () => {
    const { tests }: { readonly tests: ReadonlyArray<{ readonly name: string }> } = Yaml.parse(
      read("deploy/prometheus/rules.test.yaml")
    )
    for (const alert of alerts) {
      const names = tests.map(({ name }) => name).filter((name) => name.startsWith(`${alert} `))
      assert.strictEqual(names.length, 2, alert)
    }
  })

  const cached = path.join(root, "node_modules/.cache/promtool/promtool")
  const promtool = fs.existsSync(cached) ? cached : "promtool"
  const isMissing = childProcess.spawnSync(promtool, ["--version"]).status !== 0
  const why = isMissing ? " (needs promtool: test/support/servers/promtool.sh)" : ""

  it.skipIf(isMissing)(`pass promtool's check and tests of the rules${why}`, () => {
    for (const args of [
      ["check", "rules", "rules.yaml"],
      ["test", "rules", "rules.test.yaml"]
    ]) {
      const { status, stderr, stdout } = childProcess.spawnSync(promtool, args, {
        cwd: path.join(root, "deploy/prometheus"),
        encoding: "utf8"
      })
      assert.strictEqual(status, 0, `${stdout}${stderr}`)
    }
  })
})
