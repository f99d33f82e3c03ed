/** Checks of what the operating system allows this user: open files and memory. */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import { Effect } from "effect"
import { InputMemory, layer } from "#src/kernel/memory/InputMemory.ts"
import * as Check from "../Check.ts"

/** Connections, files and the pool of S3 (1,024) have to fit. */
const enoughFiles = 8_192
const tooFewFiles = 1_024

/** Exported because a test cannot raise its own limit. @param text of `/proc/self/limits`. */
export const judgeFiles = (text: string): Check.Verdict => {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(text)?.[1]
  if (soft === undefined) return Check.skipped("The limit of open files is not known")
  const limit = soft === "unlimited" ? Infinity : Number(soft)
  const detail = `${soft === "unlimited" ? "Any number of" : limit.toLocaleString("en-US")} files may be open at once`
  const remedy = `Raise it to ${enoughFiles.toLocaleString("en-US")} or more (LimitNOFILE= of systemd, or ulimit -n): each connection is a file`
  if (limit < tooFewFiles) return Check.failed(detail, remedy)
  return limit < enoughFiles ? Check.warning(detail, remedy) : Check.ok(detail)
}

const openFiles: Check.Check = {
  name: "open-files",
  look: Effect.tryPromise(() => fs.readFile("/proc/self/limits", "utf8")).pipe(
    Effect.match({
      onFailure: () => Check.skipped("Only known on Linux"),
      onSuccess: judgeFiles
    })
  )
}

const mebibyte = 1024 * 1024

/** What the server takes beside the memory for inputs, bytes. */
const besides = 512 * mebibyte

/** The memory of the machine, or of the container. */
const available = () => {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, os.totalmem()) : os.totalmem()
}

const memory: Check.Check = {
  name: "memory",
  look: Effect.gen(function* () {
    const { runs, submits } = yield* InputMemory
    const wanted = runs.capacity + submits.capacity + besides
    const detail = `The machine or container has ${Math.floor(available() / mebibyte)} MiB`
    return available() >= wanted
      ? Check.ok(detail)
      : Check.warning(
          `${detail}, and inputs and the server may take ${Math.ceil(wanted / mebibyte)} MiB`,
          "Give it more memory, or lower INPUT_MEMORY"
        )
  }).pipe(Effect.provide(layer))
}

export const checks = [openFiles, memory]
