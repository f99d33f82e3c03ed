import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Option, Predicate, Redacted } from "effect"
import * as Failure from "#src/cli/Failure.ts"
import * as AllSettings from "#src/composition/settings/AllSettings.ts"
import type { Setting } from "#src/kernel/settings/Setting.ts"

const root = new URL("../../../../../", import.meta.url)

const isSetting = (value: unknown): value is Setting<unknown> =>
  Predicate.hasProperty(value, "config") &&
  Config.isConfig(value.config) &&
  Predicate.hasProperty(value, "name")

/** All exports of the server's modules. */
const declared = Effect.promise(async () => {
  const files = fs
    .readdirSync(new URL("src", root), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => /Setting\.(make|optional)/.test(fs.readFileSync(new URL(`src/${file}`, root), "utf8")))
  const modules: ReadonlyArray<unknown> = await Promise.all(
    files.map((file) => import(new URL(`src/${file}`, root).href))
  )
  const found = modules.flatMap((module) => Object.values(Object(module)).flat()).filter(isSetting)
  return [...new Set(found)]
})

/** The value of the setting in an environment. */
const read = ({ config }: Setting<unknown>, environment: Readonly<Record<string, string>>) =>
  Effect.result(config.parse(ConfigProvider.fromEnv({ env: environment })))

describe("All settings", () => {
  it.effect("are those that modules declare", () =>
    Effect.gen(function* () {
      const names = (yield* declared).map(({ name }) => name).sort()
      assert.isAtLeast(names.length, 14)
      assert.deepStrictEqual(AllSettings.all.map(({ name }) => name).sort(), names)
      assert.strictEqual(new Set(names).size, names.length)
    })
  )

  it.effect.each(AllSettings.all.map((setting) => [setting.name, setting] as const))(
    "%s accepts its example, and has a default when absent or empty",
    ([name, setting]) =>
      Effect.gen(function* () {
        const taken = yield* read(setting, { [name]: setting.example })
        assert.strictEqual(taken._tag, "Success")
        const absent = yield* read(setting, {})
        assert.strictEqual(absent._tag, "Success")
        assert.deepStrictEqual(yield* read(setting, { [name]: "" }), absent)
        assert.notInclude(String(setting.description), "\n")
      })
  )

  it.effect.each(
    AllSettings.all.filter(({ isSecret }) => isSecret).map((setting) => [setting.name, setting] as const)
  )("%s is redacted", ([name, setting]) =>
    Effect.gen(function* () {
      const value = yield* setting.config.parse(ConfigProvider.fromEnv({ env: { [name]: setting.example } }))
      assert.isTrue(Option.isOption(value) && Option.exists(value, Redacted.isRedacted))
    })
  )

  it.effect("are all validated, and every error is reported at once without the value", () =>
    Effect.gen(function* () {
      const wrong = "hunter2=%zz"
      const environment = Object.fromEntries(AllSettings.all.map(({ name }) => [name, wrong]))
      const error = yield* Effect.flip(AllSettings.validate).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: environment })))
      )
      const text = Failure.describe(error)
      assert.notMatch(text, /[\n`]/)
      const named = text.split("; ").map((part) => part.split(": ")[0])
      /** These accept any text. */
      const free = new Set([
        "DATA_DIR",
        "ARCHIVE",
        "MODELS_DIR",
        "METRICS_TOKEN",
        "OTEL_SERVICE_NAME",
        "OIDC_CLIENT_ID",
        "OIDC_CLIENT_SECRET",
        "OIDC_ROLE_CLAIM"
      ])
      assert.deepStrictEqual(
        named,
        AllSettings.all.map(({ name }) => name).filter((name) => !free.has(name))
      )
      assert.notInclude(text, "hunter2")
      assert.notInclude(text, "%zz")
    })
  )
})
