import * as path from "node:path"
import * as url from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import * as Build from "./bin/Build.js"
import * as TestFiles from "./tools/TestFiles.ts"

// As `src/main.ts` has it: what tests write into a data directory is for its owner alone, else the server warns of it.
process.umask(0o077)

const files = TestFiles.read()
const byPath = new Map(files.map((file) => [path.join(import.meta.dirname, file.path), file]))

/** Vitest's order, with files that say `@first` before the others of their project. */
class FirstThingsFirst extends BaseSequencer {
  override async sort(specifications: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const turn = ({ moduleId }: TestSpecification) => (byPath.get(moduleId)?.isFirst === true ? 0 : 1)
    const sorted = await super.sort(specifications)
    return sorted.toSorted((a, b) => group(a) - group(b) || turn(a) - turn(b))
  }
}

/** Vitest's own watch mode loads threads from their sources, because the bundle does not follow. `tools/Tests.ts` knows who needs it. */
const isFromSources =
  process.env["TESTS"] === "sources" || (!process.argv.includes("run") && process.env["TESTS"] !== "run")
const bundledThreads = (main: string) => {
  const preload = url.pathToFileURL(path.join(import.meta.dirname, "test/support/BundledThreads.js"))
  preload.searchParams.set("main", url.pathToFileURL(main).href)
  return ["--import", preload.href]
}

const common = {
  pool: "forks",
  // What the tests of a file start ends with them, and nothing is shared but modules: those are loaded once for all files of a
  // process, which costs each file about a second otherwise.
  isolate: false,
  execArgv: isFromSources ? [] : bundledThreads(Build.made()),
  // What was compiled before, as `src/main.ts` has it. Without it each thread that a test starts would strip its types with
  // WebAssembly, and V8 crashes now and then where that is loaded and freed in many threads (nodejs/node#64500).
  env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, "node_modules/.cache/inferlog") },
  setupFiles: ["test/support/Costs.ts"]
}

/** Of what hangs, not of what is slow: a test of the system starts processes on a machine that is busy. */
const timeouts = { unit: 60_000, service: 60_000, system: 90_000, release: 300_000 } as const

/** Where a test waits, others use its core. A test of the system mostly waits for processes. */
const workers = { unit: 3, service: 3, system: 4, release: 2 } as const

/** The servers that many files of a group use. */
const shared = {
  unit: [],
  service: [],
  system: ["test/support/servers/SharedS3.ts", "test/support/package/SharedPackage.ts"],
  release: []
} as const

export default defineConfig({
  test: {
    sequence: { sequencer: FirstThingsFirst },
    projects: TestFiles.sets(files).map((set) => ({
      test: {
        ...common,
        name: set.name,
        include: [...set.files],
        setupFiles: [
          ...common.setupFiles,
          ...(TestFiles.daily.includes(set.group) ? ["test/support/Guards.ts"] : [])
        ],
        globalSetup: set.together === null ? [...shared[set.group]] : [set.together],
        testTimeout: timeouts[set.group],
        hookTimeout: timeouts[set.group],
        maxWorkers: set.isSerial ? 1 : workers[set.group],
        // Pages that are looked at, of which each waits for the browser now and then.
        ...(set.together !== null && { maxConcurrency: 3 }),
        sequence: { groupOrder: set.order }
      }
    }))
  }
})
