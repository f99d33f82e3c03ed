/** Flags that override a setting of the environment. */
import { ConfigProvider, Effect, Option } from "effect"
import { Flag, GlobalFlag } from "effect/cli"

export const DataDir = GlobalFlag.Setting("data-dir")({
  flag: Flag.String("data-dir").pipe(
    Flag.withDescription("Data directory of the server (default: DATA_DIR, or ./data)"),
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

/** The environment, overridden by the given flags. */
export const configProvider = Effect.gen(function* () {
  const environment = yield* ConfigProvider.ConfigProvider
  return ConfigProvider.orElse(ConfigProvider.fromUnknown(yield* overrides), environment)
})
