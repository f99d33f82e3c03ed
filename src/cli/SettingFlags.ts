/** Flags that stand in for a setting of the environment: whatever reads the setting then reads the flag. */
import { ConfigProvider, Effect, Option } from "effect"
import { Flag, GlobalFlag } from "effect/cli"

export const DataDir = GlobalFlag.Setting("data-dir")({
  flag: Flag.String("data-dir").pipe(
    Flag.withDescription("Where the server keeps its state (default: DATA_DIR, or ./data)"),
    Flag.optional
  )
})

const overrides = Effect.gen(function* () {
  const dataDir = yield* DataDir
  const logLevel = yield* GlobalFlag.LogLevel
  return {
    ...(Option.isSome(dataDir) && { DATA_DIR: dataDir.value }),
    ...(Option.isSome(logLevel) && { LOG_LEVEL: logLevel.value })
  }
})

/** The environment, under the flags that were given. */
export const configProvider = Effect.gen(function* () {
  const environment = yield* ConfigProvider.ConfigProvider
  return ConfigProvider.orElse(ConfigProvider.fromUnknown(yield* overrides), environment)
})
