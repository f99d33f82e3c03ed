/** The commands of the program. The modules of a command are loaded only when an argument names it. */
import { Effect } from "effect"
import { Command } from "effect/cli"

/** How the help of `inferlog` describes each command, in its order, and where its declaration is. */
const commands = {
  serve: { description: "Run the server", load: async () => (await import("./Serve.ts")).serve },
  init: { description: "Create an empty log", load: async () => (await import("./Init.ts")).init },
  doctor: {
    description: "Check settings and surroundings of the server, and say what to mend",
    load: async () => (await import("./doctor/Doctor.ts")).doctor
  },
  accounts: {
    description: "Accounts, their balances, limits and passwords",
    load: async () => (await import("./accounts/Accounts.ts")).accounts
  },
  balance: {
    description: "Balances and payments",
    load: async () => (await import("./balance/Balance.ts")).balance
  },
  keys: { description: "API keys", load: async () => (await import("./keys/Keys.ts")).keys },
  models: {
    description: "The catalog, and the manifests that it is published from",
    load: async () => (await import("./models/Models.ts")).models
  },
  run: {
    description: "Run a model",
    load: async () => (await import("./run/Run.ts")).run
  },
  requests: {
    description: "List, show and follow requests",
    load: async () => (await import("./requests/Requests.ts")).requests
  },
  files: {
    description: "Upload, list, delete and download files",
    load: async () => (await import("./files/Files.ts")).files
  },
  webhooks: {
    description: "Forward webhooks to this machine, and check them",
    load: async () => (await import("./webhooks/Webhooks.ts")).webhooks
  },
  codegen: {
    description: "Write types and functions for the models of a server",
    load: async () => (await import("./codegen/Codegen.ts")).codegen
  },
  nodes: {
    description: "The nodes that run on the log",
    load: async () => (await import("./nodes/Nodes.ts")).nodes
  },
  providers: {
    description: "What runs models: circuits, pauses, errors",
    load: async () => (await import("./providers/Providers.ts")).providers
  },
  workers: {
    description: "Workers, which fetch jobs, and their keys",
    load: async () => (await import("./workers/Workers.ts")).workers
  },
  operators: {
    description: "Operators, who administer over HTTP, and what they did",
    load: async () => (await import("./operators/Operators.ts")).operators
  },
  login: {
    description: "Sign in as an operator with a browser",
    load: async () => (await import("./login/Login.ts")).login
  },
  profiles: {
    description: "Servers elsewhere, and the keys with which commands administer them",
    load: async () => (await import("./remote/ProfileCommands.ts")).profiles
  },
  log: {
    description: "The event log: show, export, verify, copy and archive it",
    load: async () => (await import("./log/Log.ts")).log
  },
  backup: {
    description: "Back up the log, files and keys",
    load: async () => (await import("./backup/Backup.ts")).backup
  },
  restore: {
    description: "Restore a backup",
    load: async () => (await import("./backup/Restore.ts")).restore
  },
  audit: {
    description: "Prove the books, and print a statement or the journal",
    load: async () => (await import("./audit/Audit.ts")).auditCommand
  },
  projections: {
    description: "The read models that are built from the log",
    load: async () => (await import("./projections/Projections.ts")).projections
  }
} as const

type Loaded = Awaited<ReturnType<(typeof commands)[keyof typeof commands]["load"]>>

const outline = (name: string, description: string) =>
  Command.make(name).pipe(Command.withDescription(description))

/**
 * All commands, those that no argument names only as outlines: a command is reached only by its name. A completion
 * script describes the flags of all of them.
 */
export const named = (args: ReadonlyArray<string>) =>
  Effect.promise(() => {
    const isComplete = args.some((arg) => arg.startsWith("--completions"))
    return Promise.all(
      Object.entries(commands).map(
        async ([name, { description, load }]): Promise<Loaded | ReturnType<typeof outline>> =>
          isComplete || args.includes(name) ? load() : outline(name, description)
      )
    )
  })
