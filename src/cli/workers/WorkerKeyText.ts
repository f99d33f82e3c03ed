/** Formats the grant of a worker key for output. */
import * as Output from "#src/cli/Output.ts"

interface Granted {
  readonly modelEndpoints: ReadonlyArray<string> | null
  readonly expiresAt: number | null
}

export const forPrograms = ({ expiresAt, modelEndpoints }: Granted) => ({
  modelEndpoints,
  expiresAt: Output.timeOrNull(expiresAt)
})

export const header = ["MODELS", "EXPIRES"]

export const forPeople = ({ expiresAt, modelEndpoints }: Granted): ReadonlyArray<string> => [
  modelEndpoints?.join(",") ?? "all",
  Output.timeOrNull(expiresAt) ?? "-"
]
