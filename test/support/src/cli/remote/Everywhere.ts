/** Every command, and where it works. */
import * as fs from "node:fs"
import { Effect } from "effect"
import * as Commands from "#src/cli/Commands.ts"

interface Facts {
  readonly accountId: string
  readonly keyId: string
  readonly workerKeyId: string
  readonly operatorId: string
  readonly folder: string
}

/** Arguments with which a command succeeds on a server elsewhere. */
type Arguments = ReadonlyArray<string> | ((facts: Facts) => ReadonlyArray<string>)

/** Through the server that `--url`, a variable or a profile names, in this order: the last ones end what the others use. */
export const elsewhere: Readonly<Record<string, Arguments>> = {
  "accounts create": ["--name", "more", "--balance", "1"],
  "accounts list": [],
  "accounts limits": ({ accountId }) => ["--account", accountId, "--max-open", "10"],
  "accounts passwd": ({ accountId }) => [accountId, "--remove"],
  "balance show": ({ accountId }) => ["--account", accountId],
  "balance topup": ({ accountId }) => ["--account", accountId, "--amount", "1"],
  "keys create": ({ accountId }) => ["--account", accountId, "--name", "k"],
  "keys list": [],
  "keys rotate": ({ keyId }) => [keyId],
  "keys revoke": ({ keyId }) => [keyId],
  "workers create": ["--name", "w"],
  "workers list": [],
  "workers rotate": ({ workerKeyId }) => [workerKeyId],
  "workers revoke": ({ workerKeyId }) => [workerKeyId],
  "nodes list": [],
  "providers list": [],
  "providers reset": ["sandbox"],
  "models import": ({ folder }) => [`${folder}/models`],
  "models list": [],
  "models show": ["sandbox/echo"],
  "models deprecate": ["acme/echo"],
  "models withdraw": ["acme/echo"],
  "requests list": [],
  "requests show": ["rq000000000000000000_"],
  "operators create": ["--name", "o", "--role", "viewer"],
  "operators list": [],
  "operators role": ({ operatorId }) => [operatorId, "--role", "auditor"],
  "operators rotate": ({ operatorId }) => [operatorId],
  "operators revoke": ({ operatorId }) => [operatorId],
  "operators actions": [],
  "log tail": ["--type", "OperatorCreated"],
  "log export": [],
  "log stats": [],
  "log verify": [],
  "log archive": ["--older-than", "0d"],
  audit: [],
  "projections list": [],
  "projections rebuild": ["history"],
  "accounts erase": ({ accountId }) => ["--account", accountId, "--yes"]
}

/** With the key of an account, over the public API. */
export const asAccount = [
  "run",
  "requests watch",
  "files upload",
  "files list",
  "files show",
  "files delete",
  "files download",
  "webhooks listen",
  "codegen"
]

/** On the data, the settings or the files of this machine. */
export const onlyHere = [
  "serve",
  "init",
  "doctor",
  "backup",
  "restore",
  "log copy",
  "log move-archive",
  "log accept-head",
  "models validate",
  "webhooks verify",
  "login",
  "profiles add",
  "profiles list",
  "profiles remove"
]

/** The commands that do something, by their words. */
export const commands: Effect.Effect<ReadonlyArray<string>> = Effect.map(
  Commands.named(["--completions", "bash"]),
  (all) =>
    all.flatMap((command) => {
      const below = command.subcommands.flatMap(({ commands }) => commands)
      return below.length === 0 ? [command.name] : below.map(({ name }) => `${command.name} ${name}`)
    })
)

/** The commands in the rows of the table in the manual, in the order of the rows. */
export const documented = (): ReadonlyArray<ReadonlyArray<string>> => {
  const manual = fs.readFileSync(new URL("../../../../../docs/reference/cli.md", import.meta.url), "utf8")
  const [, section = ""] = manual.split("\n## Where each command works\n")
  const [table = ""] = /(^\|.*\n)+/m.exec(section) ?? []
  return table
    .split("\n")
    .slice(2)
    .filter((row) => row !== "")
    .map((row) => {
      const [, , named = ""] = row.split("|")
      return [...named.matchAll(/`([a-z -]+)`/g)].map(([, name = ""]) => name)
    })
}

/** Their `--url` is that of the profile to make. */
export const ownUrl = ["login", "profiles add"]
