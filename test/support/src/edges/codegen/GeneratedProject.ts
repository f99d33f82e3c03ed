/** Folders of applications with generated code: their compilers see the clients of this checkout. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as url from "node:url"
import * as Python from "#test/support/clients/Python.ts"

const root = path.resolve(import.meta.dirname, "../../../../..")

/** Sources of the entries of `@inferlog/client`. */
const clients = {
  "@inferlog/client": path.join(root, "clients/typescript/index.ts"),
  "@inferlog/client/node": path.join(root, "clients/typescript/node/File.ts"),
  "@inferlog/client/effect": path.join(root, "clients/typescript/effect/Client.ts")
}

interface Ended {
  readonly status: number | null
  readonly text: string
}

const run = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> }
): Promise<Ended> =>
  new Promise((resolve) => {
    childProcess.execFile(
      command,
      args,
      { ...options, env: { ...process.env, ...options.env } },
      (error, stdout, stderr) =>
        resolve({
          status: typeof error?.code === "number" ? error.code : error === null ? 0 : null,
          text: stdout + stderr
        })
    )
  })

/** What the compiler of TypeScript says to these files; empty if nothing is wrong. */
export const typeScriptProblems = async (
  folder: string,
  files: Readonly<Record<string, string>>
): Promise<string> => {
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  const config = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      module: "NodeNext",
      target: "ES2024",
      lib: ["ES2024", "DOM", "DOM.AsyncIterable"],
      types: ["node"],
      typeRoots: [path.join(root, "node_modules/@types")],
      allowImportingTsExtensions: true,
      verbatimModuleSyntax: true,
      paths: Object.fromEntries(Object.entries(clients).map(([name, file]) => [name, [file]]))
    },
    files: Object.keys(files)
  }
  fs.writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }')
  fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config))
  const tsc = path.join(root, "node_modules/typescript/bin/tsc")
  // Its threads would check much twice.
  return (await run(process.execPath, [tsc, "-p", ".", "--singleThreaded"], { cwd: folder })).text
}

/** Runs the Python of this machine with the client of this checkout. */
export const runPython = (
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>> = {}
): Promise<Ended> => run(Python.command, args, { cwd, env: { ...env, ...Python.environment } })

/** Runs a program with the clients of this checkout, as the folder would with them installed. */
export const runTypeScript = (
  program: string,
  cwd: string,
  env: Readonly<Record<string, string>>
): Promise<Ended> => {
  const resolved = program.replaceAll(
    /(from )"(@[\w-]+\/[\w/-]+|effect)"/g,
    (_, before: string, name: string) => {
      const file =
        (clients as Readonly<Record<string, string>>)[name] ?? url.fileURLToPath(import.meta.resolve(name))
      return `${before}${JSON.stringify(url.pathToFileURL(file).href)}`
    }
  )
  fs.writeFileSync(path.join(cwd, "program.ts"), resolved)
  return run(process.execPath, ["program.ts"], { cwd, env })
}
