/** The chart, rendered by helm and checked against Kubernetes' schemas. */
import * as fs from "node:fs"
import * as path from "node:path"
import { ScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1"
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1"
import { assert, describe, it } from "@effect/vitest"
import { StatefulSet } from "kubernetes-models/apps/v1"
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1"
import { Secret, Service, ServiceAccount } from "kubernetes-models/v1"
import * as Yaml from "yaml"
import * as AllSettings from "#src/composition/settings/AllSettings.ts"
import * as Programs from "#test/support/deploy/Programs.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"

const chart = path.join(Programs.deploy, "helm/inferlog")
const helm = path.join(ServerProcess.root, "node_modules/.cache/helm/helm")
const isMissing = !fs.existsSync(helm) && process.env["CI"] === undefined
const named = (name: string) =>
  fs.existsSync(helm) ? name : `${name} (needs helm: test/support/servers/helm.sh)`

const kinds: Readonly<Record<string, new (data: never) => { readonly validate: () => void }>> = {
  "apps/v1 StatefulSet": StatefulSet,
  "networking.k8s.io/v1 Ingress": Ingress,
  "networking.k8s.io/v1 NetworkPolicy": NetworkPolicy,
  "policy/v1 PodDisruptionBudget": PodDisruptionBudget,
  "v1 Secret": Secret,
  "v1 Service": Service,
  "v1 ServiceAccount": ServiceAccount,
  "keda.sh/v1alpha1 ScaledObject": ScaledObject,
  "monitoring.coreos.com/v1 ServiceMonitor": ServiceMonitor
}

/** What the tests read of any object. The schema of its kind says whether the rest is right. */
interface Rendered {
  readonly apiVersion: string
  readonly kind: string
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: ReadonlyArray<{ readonly env: ReadonlyArray<{ readonly name: string }> }>
      }
    }
    readonly triggers: ReadonlyArray<{ readonly metadata: { readonly query: string } }>
  }
}

const rendered = (...options: ReadonlyArray<string>): Array<Rendered> =>
  Yaml.parseAllDocuments(Programs.run(helm, ["template", "test", chart, ...options])).map((document) =>
    document.toJS()
  )

const values = (name: string) => ["--values", path.join(chart, "ci", `${name}-values.yaml`)]
const kindsOf = (objects: ReadonlyArray<Rendered>) => objects.map(({ kind }) => kind).toSorted()

/** The names in the table of metrics, which is written from the code. */
const metricNames = () => {
  const table = fs.readFileSync(path.join(ServerProcess.root, "docs/operators/monitoring.md"), "utf8")
  return new Set([...table.matchAll(/^\| `(inferlog_\w+)`/gm)].map(([, name]) => name ?? ""))
}

describe.skipIf(isMissing)("The chart", () => {
  it(named("has no fault that helm finds"), () => {
    Programs.run(helm, ["lint", "--strict", chart])
  })

  it("has the version of the program", () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(ServerProcess.root, "package.json"), "utf8"))
    const { appVersion, version: own } = Yaml.parse(fs.readFileSync(path.join(chart, "Chart.yaml"), "utf8"))
    assert.deepStrictEqual([own, appVersion], [version, version])
  })

  const examples: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
    ["one node", [], ["Secret", "Service", "Service", "ServiceAccount", "StatefulSet"]],
    [
      "one node with an ingress",
      values("single"),
      ["Ingress", "Secret", "Service", "Service", "ServiceAccount", "StatefulSet"]
    ],
    [
      "a cluster",
      values("cluster"),
      [
        "NetworkPolicy",
        "PodDisruptionBudget",
        "ScaledObject",
        "Secret",
        "Service",
        "Service",
        "Service",
        "ServiceAccount",
        "ServiceMonitor",
        "StatefulSet"
      ]
    ],
    [
      "a cluster with a Secret of its own",
      values("existing-secret"),
      ["PodDisruptionBudget", "Service", "Service", "ServiceAccount", "ServiceMonitor", "StatefulSet"]
    ]
  ]
  for (const [name, options, expected] of examples) {
    it(named(`renders ${name} as Kubernetes' schemas have it, with settings of the program only`), () => {
      const objects = rendered(...options)
      assert.deepStrictEqual(kindsOf(objects), [...expected])
      for (const object of objects) {
        const Kind = kinds[`${object.apiVersion} ${object.kind}`]
        assert.isDefined(Kind, object.kind)
        // The values are of any shape; the schema of the kind says whether they are right.
        if (Kind !== undefined) new Kind(object as never).validate()
      }
      const known = new Set(AllSettings.all.map((setting) => setting.name))
      const own = new Set(["POD_NAME", "SERVICE_NAME"])
      const containers =
        objects.find(({ kind }) => kind === "StatefulSet")?.spec.template.spec.containers ?? []
      const secret = objects.find(({ kind }) => kind === "Secret")?.stringData ?? {}
      for (const variable of [
        ...containers.flatMap(({ env }) => env).map(({ name }) => name),
        ...Object.keys(secret)
      ]) {
        assert.isTrue(known.has(variable) || own.has(variable) || variable.startsWith("AWS_"), variable)
      }
    })
  }

  it(named("scales by a metric of the program"), () => {
    const scaled = rendered(...values("cluster")).find(({ kind }) => kind === "ScaledObject")
    const [, metric] =
      /^max\((\w+)\{model="acme\/flux"\}\)$/.exec(scaled?.spec.triggers[0]?.metadata.query ?? "") ?? []
    assert.isTrue(metricNames().has(metric ?? ""), metric)
  })

  const refused: ReadonlyArray<readonly [string, ReadonlyArray<string>, RegExp]> = [
    ["an unknown value", ["--set", "replica=2"], /replica/],
    [
      "a cluster without a log",
      ["--set", "mode=cluster,cluster.blobStore=s3://b"],
      /cluster\.eventStore: Expected/
    ],
    [
      "a cluster without shared blobs",
      ["--set", "mode=cluster,cluster.eventStore=nats://n:4222"],
      /cluster\.blobStore: Expected/
    ],
    [
      "one node without a volume",
      ["--set", "persistence.enabled=false"],
      /persistence\.enabled: Expected true/
    ],
    ["administration at the public port", ["--set", "admin.port=8080"], /admin/],
    ["a malformed master key", ["--set", "secrets.masterKey=abc"], /masterKey/]
  ]
  for (const [name, options, message] of refused) {
    it(named(`refuses ${name}`), () => {
      assert.throws(() => rendered(...options), message)
    })
  }
})
