/** Checks of the versions of what the program runs with, and of the optional programs. */
import { createRequire } from "node:module"
import { Effect } from "effect"
import * as Ffmpeg from "#src/features/media/Ffmpeg.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as Database from "#streams/sqlite/Database.ts"
import * as Check from "../Check.ts"

const newest = "Install Node 24 or newer (https://nodejs.org)"

const oldestNode = 24

const node: Check.Check = {
  name: "node",
  look: Effect.sync(() => {
    const found = `inferlog ${version} runs on Node ${process.versions.node}`
    return Number.parseInt(process.versions.node, 10) >= oldestNode
      ? Check.ok(found)
      : Check.failed(found, newest)
  })
}

const sqlite: Check.Check = {
  name: "sqlite",
  look: Effect.try(() => Database.open({ filename: ":memory:", synchronous: "FULL" }).close()).pipe(
    Effect.as(Check.ok(`SQLite ${process.versions.sqlite ?? "of this Node"} is new enough`)),
    Effect.catch(() =>
      Effect.succeed(Check.failed(`SQLite ${process.versions.sqlite ?? ""} may lose commits`, newest))
    )
  )
}

const again = "Install inferlog again without --omit=optional"

const pictures: Check.Check = {
  name: "pictures",
  look: Effect.tryPromise(() => import("sharp")).pipe(
    Effect.map(({ default: { versions } }) =>
      Check.ok(`sharp ${versions.sharp} with libvips ${versions.vips} reads pictures`)
    ),
    Effect.catch(() =>
      Effect.succeed(
        Check.warning("sharp is missing: there are no thumbnails, and built-in vision models fail", again)
      )
    )
  )
}

const isInstalled = (name: string) =>
  Effect.match(
    Effect.try(() => createRequire(import.meta.url).resolve(name)),
    { onFailure: () => false, onSuccess: () => true }
  )

const text: Check.Check = {
  name: "text-recognition",
  look: Effect.all([isInstalled("tesseract.js"), isInstalled("@tesseract.js-data/eng/package.json")]).pipe(
    Effect.map((found) =>
      found.every(Boolean)
        ? Check.ok("tesseract.js and its English data are installed")
        : Check.warning(
            "tesseract.js or its data is missing: the built-in model that reads text fails",
            again
          )
    )
  )
}

const films: Check.Check = {
  name: "ffmpeg",
  look: Effect.map(Ffmpeg.find, (program) =>
    program === null
      ? Check.warning("ffmpeg is not in PATH: films have no thumbnails", "Install ffmpeg if films are stored")
      : Check.ok("ffmpeg makes thumbnails of films")
  )
}

export const checks = [node, sqlite, pictures, text, films]
