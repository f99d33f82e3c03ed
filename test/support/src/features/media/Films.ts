/** Films for tests, made by an installed ffmpeg. */
import * as childProcess from "node:child_process"
import { Effect } from "effect"
import * as Ffmpeg from "#src/features/media/Ffmpeg.ts"

/** The path of ffmpeg; `null` if it is not installed. */
export const program = await Effect.runPromise(Ffmpeg.find)

export const whyNot = program === null ? " (skipped: there is no ffmpeg in PATH)" : ""

/** Two frames of a test picture, written by ffmpeg itself. */
export const make = (path: string, ...options: ReadonlyArray<string>): void => {
  const source = ["-f", "lavfi", "-i", "testsrc=size=640x360:rate=2:duration=1"]
  childProcess.execFileSync(program ?? "ffmpeg", ["-v", "error", "-y", ...source, ...options, path])
}
