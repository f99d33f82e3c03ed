/** Directories in `bench/.cache` that are filled once and reused while their sources are unchanged. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { root } from "../../harness/Program.ts"

const cache = path.join(root, "bench/.cache")

const version = (sources: ReadonlyArray<string>) => {
  const hash = crypto.createHash("sha256")
  for (const source of sources) hash.update(fs.readFileSync(path.join(root, source)))
  return hash.digest("hex").slice(0, 8)
}

/** @param sources files of the checkout that determine the content. */
export const directoryOf = (name: string, sources: ReadonlyArray<string>): string =>
  path.join(cache, `${name}-${version(sources)}`)

/** Fills the directory, completely or not at all, unless it exists. */
export const filled = <E, R>(
  directory: string,
  fill: (filling: string) => Effect.Effect<void, E, R>
): Effect.Effect<string, E, R> =>
  Effect.suspend(() => {
    if (fs.existsSync(directory)) return Effect.succeed(directory)
    fs.mkdirSync(path.dirname(directory), { recursive: true })
    const filling = fs.mkdtempSync(path.join(path.dirname(directory), "filling-"))
    return fill(filling).pipe(
      Effect.onError(() => Effect.sync(() => fs.rmSync(filling, { recursive: true }))),
      Effect.andThen(Effect.sync(() => fs.renameSync(filling, directory))),
      Effect.as(directory)
    )
  })
