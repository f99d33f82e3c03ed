/** The built files of the console (`bin/Console.js`), read at their first use and kept. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as url from "node:url"
import { Effect, type Option } from "effect"
import * as Representation from "#src/edges/http/Representation.ts"

const builtFolder = url.fileURLToPath(new URL("../../../../dist/console", import.meta.url))

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml"
}

export interface ConsoleFiles {
  /** The page, with the path that browsers see; none where the console is not built. */
  readonly page: Effect.Effect<Option.Option<Representation.Representation>>
  /** A file by its name below the console, such as `assets/index-4f.js`. */
  readonly file: (name: string) => Effect.Effect<Option.Option<Representation.Representation>>
}

/** Names of the files that browsers may load. */
const namesIn = (folder: string): ReadonlySet<string> => {
  if (!fs.existsSync(folder)) return new Set()
  const assets = path.join(folder, "assets")
  return new Set(["icon.svg", ...fs.readdirSync(assets).map((name) => `assets/${name}`)])
}

/**
 * @param publicPath of the console, such as `/console`: a proxy may serve it below another path.
 * @param folder of the build.
 */
export const make = (publicPath: string, folder = builtFolder): ConsoleFiles => {
  const kept = new Map<string, Effect.Effect<Representation.Representation>>()

  /** Read once, and to its end even if the first client disconnects. */
  const read = (name: string, edit: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes) => {
    const known = kept.get(name)
    if (known !== undefined) return known
    const contentType = contentTypes[path.extname(name)] ?? "application/octet-stream"
    const reading = Effect.promise(() => fs.promises.readFile(path.join(folder, name))).pipe(
      Effect.flatMap((bytes) => Representation.ofBytes({ contentType, bytes: edit(bytes) })),
      Effect.uninterruptible
    )
    const once = Effect.runSync(Effect.cached(reading))
    kept.set(name, once)
    return once
  }

  let names: ReadonlySet<string> | null = null
  const has = (name: string) => {
    names ??= namesIn(folder)
    return names.has(name)
  }

  /** Views have paths of several segments, so the references of the page are made absolute. */
  const withPath = (bytes: Uint8Array): Uint8Array =>
    Buffer.from(
      Buffer.from(bytes)
        .toString()
        .replaceAll(/(src|href)="\.\//g, `$1="${publicPath}/`)
        .replace('name="inferlog-path" content="/console"', `name="inferlog-path" content="${publicPath}"`)
    )

  return {
    page: Effect.suspend(() =>
      has("icon.svg") ? Effect.asSome(read("index.html", withPath)) : Effect.succeedNone
    ),
    file: (name) => (has(name) ? Effect.asSome(read(name)) : Effect.succeedNone)
  }
}
