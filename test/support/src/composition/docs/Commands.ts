/** The commands of a page and a folder to run them in. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { root } from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

/** The blocks of shell commands, in order. */
export const commandsOf = (page: string): ReadonlyArray<string> => {
  const text = fs.readFileSync(path.join(root, page), "utf8")
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = ""]) => commands)
}

/** A fresh checkout, without the results of earlier commands. */
export const checkout = Effect.map(TempDirectory.make, (directory) => {
  for (const name of fs.readdirSync(root)) {
    if (!["data", "my-models"].includes(name))
      fs.symlinkSync(path.join(root, name), path.join(directory, name))
  }
  return directory
})
