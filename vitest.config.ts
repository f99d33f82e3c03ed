import * as path from "node:path"
import * as url from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import * as Build from "./bin/Build.js"

// As `src/main.ts` has it: what tests write into a data directory is for its owner alone, else the server warns of it.
process.umask(0o077)

/**
 * They check times against limits, or, as rebuilds do, give way to whatever runs beside them: nothing may.
 */
const alone = [
  "test/src/cli/Projections.test.ts",
  "test/src/webhook-delivery/{BadReceivers,DeadReceivers}.test.ts",
  "test/src/{GracefulStop,NoStarvation}.test.ts",
  "test/src/kernel/outbound/OutboundLoad.test.ts",
  "test/src/upload-flows/StopInUpload.test.ts"
]

/** They check a server's latency or memory under attack against limits. The other attacks run beside other tests. */
const measured = [
  "test/attacks/{ClientsThatDoNotRead,Estimates,FaultyDisks,HostileInputs,Inputs}.test.ts",
  "test/attacks/{LargeResults,SlowReadersOfFiles,WebhookBodies}.test.ts"
]

/** They mostly wait for their own servers, and many of those would be too much load. The model test computes without waiting. */
const waiting = [
  "test/src/model/Model.test.ts",
  "test/src/platform/cluster/**/*.test.ts",
  "test/src/several-nodes/**/*.test.ts",
  "test/streams/nats/**/*.test.ts"
]

/** They work in their own process, and wait for its threads now and then. */
const working = [
  "test/domain/**/*.test.ts",
  "test/projections/*.test.ts",
  "test/projections/{batch,catalog,deliveries,due-work,durations,files,history,keys,ledger,live-status,retention,runner,status}/**/*.test.ts",
  "test/src/composition/{docs,settings}/**/*.test.ts",
  "test/src/edges/{admin,api,console,openai,server}/**/*.test.ts",
  "test/src/edges/fal/**/!(FalClient|FalInBrowser|FalStop).test.ts",
  "test/src/edges/http/**/!(DocsInBrowser|TokensInBrowser|KeysKept|StreamResuming|SlowReaders).test.ts",
  "test/src/edges/replicate/**/!(ReadmeExamples).test.ts",
  "test/src/edges/mcp/**/!(*InBrowser|AssistantExample|Conformance|*Restart).test.ts",
  "test/src/edges/oauth/**/!(*InBrowser|*Restart).test.ts",
  "test/src/features/{accounts,catalog,demand,dispatch,files,fleet,funds,manifests,operators,provider-health,providers,requests,retention}/**/*.test.ts",
  "test/src/features/media/!(storage|vision)/**/*.test.ts",
  "test/src/features/media/storage/local/**/*.test.ts",
  "test/src/features/{billing,media,webhooks}/*.test.ts",
  "test/src/features/webhooks/deliveries/**/*.test.ts",
  "test/src/kernel/{secrets,threads,time}/**/*.test.ts",
  "test/src/kernel/outbound/**/!(OutboundLoad).test.ts",
  "test/src/transitions/**/*.test.ts",
  "test/streams/*.test.ts",
  "test/{bin,clients,tools}/**/*.test.ts",
  "test/streams/sqlite/**/*.test.ts"
]

/** They share one server and one browser, and every browser's window wants a core of its own. */
const inConsole = "test/console/**/*.test.ts"

/**
 * They take longest, and start in this order. Started last, they would run alone at the end of their project. Those that build an
 * image or measure come last of these, beside tests that mostly wait.
 */
const longest = [
  // First of the console's, because the others change what its pictures show.
  "test/console/EveryView.test.ts",
  "test/src/several-nodes/Faults.test.ts",
  "test/src/model/Model.test.ts",
  "test/src/composition/docs/StartPages.test.ts",
  "test/src/KillAndRestart.test.ts",
  "test/package/Package.test.ts",
  "test/src/cli/backup/BackupUnderLoad.test.ts",
  "test/attacks/ClockSteps.test.ts",
  "test/attacks/Outages.test.ts",
  "test/src/webhook-delivery/KillAndRestart.test.ts",
  "test/src/reactors/cluster/SharedQueue.test.ts",
  "test/attacks/LongStart.test.ts",
  "test/src/features/archive/Archiving.test.ts",
  "test/deploy/Image.test.ts",
  "test/bench/Webhooks.test.ts",
  "test/src/edges/http/DocsInBrowser.test.ts",
  "test/streams/copy/NatsLogCopy.test.ts",
  "test/bench/LongRows.test.ts"
].map((file) => path.join(import.meta.dirname, file))

/** The order of vitest, with the longest files first in their project. */
class LongestFirst extends BaseSequencer {
  override async sort(specifications: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const turn = ({ moduleId }: TestSpecification) =>
      longest.includes(moduleId) ? longest.indexOf(moduleId) : longest.length
    const sorted = await super.sort(specifications)
    return sorted.toSorted((a, b) => group(a) - group(b) || turn(a) - turn(b))
  }
}

/** While sources are watched, threads are loaded from them, because the bundle does not follow. */
const isWatching = !process.argv.includes("run")
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
  execArgv: isWatching ? [] : bundledThreads(Build.made()),
  // What was compiled before, as `src/main.ts` has it. Without it each thread that a test starts would strip its types with
  // WebAssembly, and V8 crashes now and then where that is loaded and freed in many threads (nodejs/node#64500).
  env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, "node_modules/.cache/inferlog") },
  // Of what hangs, not of what is slow: a command that gives way to others has next to no time on a machine that is busy.
  testTimeout: 180_000,
  hookTimeout: 180_000
}

const project = (
  name: string,
  groupOrder: number,
  options: {
    readonly include: Array<string>
    readonly exclude?: Array<string>
    readonly maxWorkers: number
    readonly maxConcurrency?: number
    readonly globalSetup?: Array<string>
  }
) => ({ test: { ...common, ...options, name, sequence: { groupOrder } } })

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      project("alone", 0, { include: alone, maxWorkers: 1 }),
      // Three at a time: where one waits, the others use its core. One project, because workers are not shared by projects.
      project("inside", 1, { include: [...waiting, ...working], maxWorkers: 3 }),
      // Most of them start the server as a process, and wait for it.
      project("beside", 2, {
        include: ["test/**/*.test.ts"],
        exclude: [...alone, ...waiting, ...working, ...measured, inConsole],
        maxWorkers: 4,
        globalSetup: ["test/support/servers/SharedS3.ts", "test/support/package/SharedPackage.ts"]
      }),
      project("console", 3, {
        include: [inConsole],
        maxWorkers: 1,
        // Views that are looked at, of which each waits for the browser now and then.
        maxConcurrency: 3,
        globalSetup: ["test/support/console/Shared.ts"]
      }),
      project("attacks", 4, { include: measured, maxWorkers: 1 })
    ]
  }
})
