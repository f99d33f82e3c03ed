/** Finds environment variables that look like misspelled settings, which would be ignored silently. */
import { Effect, Layer } from "effect"
import { isOneEditApart } from "#src/kernel/text/EditDistance.ts"
import * as AllSettings from "./AllSettings.ts"

/** Shorter names are too close to variables of others (`HOST`, `HOME`). */
const shortest = 7

/** The variables that are no settings, each with the setting that it resembles. */
export const find = (variables: ReadonlyArray<string>, settings: ReadonlyArray<string>) => {
  const isSetting = new Set(settings)
  const candidates = settings.filter((name) => name.length >= shortest)
  return variables
    .filter((variable) => !isSetting.has(variable))
    .flatMap((variable) =>
      candidates
        .filter((setting) => isOneEditApart(variable, setting))
        .map((setting) => ({ variable, setting }))
    )
}

/** Logs a warning for each, by name only. */
export const layer = Layer.effectDiscard(
  Effect.suspend(() => {
    const names = AllSettings.all.map(({ name }) => name)
    return Effect.forEach(find(Object.keys(process.env), names), ({ setting, variable }) =>
      Effect.logWarning(`${variable} is not a setting. Did you mean ${setting}?`)
    )
  })
)
