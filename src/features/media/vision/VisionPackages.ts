/** The packages that work on pictures are optional: a server without them runs everything else (docs/decisions/0055). */
import { createRequire } from "node:module"
import { Effect, Schema } from "effect"

const { resolve } = createRequire(import.meta.url)

/** What each is needed for, and the modules that show that it is installed. */
const packages = {
  sharp: { for: "vision models and thumbnails", modules: ["sharp"] },
  "tesseract.js": {
    for: "runs of vision/ocr",
    modules: ["tesseract.js", "@tesseract.js-data/eng/package.json"]
  }
} as const

type Name = keyof typeof packages

/** The server was installed without a package that the model needs. A retry gives the same result. */
export class VisionMissing extends Schema.TaggedError<VisionMissing>()("VisionMissing", {
  package: Schema.Literals(["sharp", "tesseract.js"])
}) {
  override get message(): string {
    return `This server was installed without ${this.package}, which this model needs.`
  }
}

const isInstalled = (name: Name): boolean =>
  packages[name].modules.every((module) => {
    try {
      return resolve(module) !== ""
    } catch {
      return false
    }
  })

/** What `load` gives, unless the package is absent or does not run on this system. */
export const loadedWith = <A>(name: Name, load: () => Promise<A>): Effect.Effect<A, VisionMissing> =>
  Effect.tryPromise({ try: load, catch: () => new VisionMissing({ package: name }) })

/** Fails when the package is not installed. */
export const require = (name: Name): Effect.Effect<void, VisionMissing> =>
  Effect.suspend(() => (isInstalled(name) ? Effect.void : Effect.fail(new VisionMissing({ package: name }))))

const names: ReadonlyArray<Name> = ["sharp", "tesseract.js"]

/** Tells the operator once, at the start. */
export const warn = Effect.suspend(() =>
  Effect.forEach(
    names.filter((name) => !isInstalled(name)),
    (name) => Effect.logWarning(`${name} is not installed: ${packages[name].for} fail without it`)
  )
)
