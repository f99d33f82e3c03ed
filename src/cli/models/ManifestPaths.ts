/** The manifests that a command is about, read and checked. */
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import * as Checks from "#src/manifests/Checks.ts"
import * as Drafts from "#src/manifests/Drafts.ts"
import type { KnownItems } from "#src/manifests/Known.ts"
import * as ManifestFiles from "#src/manifests/ManifestFiles.ts"
import { modelsDir } from "#src/manifests/ModelsDir.ts"
import { UsageError } from "../Failure.ts"

export const paths = Argument.String("path").pipe(
  Argument.withDescription("A manifest, or a folder of them; MODELS_DIR when left out"),
  Argument.variadic()
)

const orSetting = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  if (given.length > 0) return given
  const folder = yield* modelsDir.config
  if (Option.isSome(folder)) return [folder.value]
  return yield* new UsageError({ message: "Expected a path: MODELS_DIR is not set" })
})

/** A file that is named twice counts once. */
export const drafts = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const found = yield* Effect.forEach(yield* orSetting(given), ManifestFiles.find)
  const files = new Map(found.flat().map((file) => [file.path, file]))
  return yield* Drafts.read([...files.values()])
})

export const check = Effect.fnUntraced(function* (given: ReadonlyArray<string>, known: KnownItems) {
  return yield* Checks.check(yield* drafts(given), known)
})
