/** Completion scripts, run by the installed shells; zsh runs in a terminal of its own. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const isThere = (shell: string) => childProcess.spawnSync(shell, ["-c", "exit 0"]).status === 0

/** The file of the script, after a syntax check by the shell. */
const script = Effect.fnUntraced(function* (shell: string) {
  const file = path.join(yield* TempDirectory.make, "script")
  const { code, stdout } = yield* Inferlog.run(["--completions", shell], {})
  assert.strictEqual(code, 0)
  fs.writeFileSync(file, stdout)
  const checked = childProcess.spawnSync(shell, ["-n", file], { encoding: "utf8" })
  assert.deepStrictEqual([checked.status, checked.stderr], [0, ""])
  return file
})

const output = (shell: string, args: ReadonlyArray<string>) => {
  const { stderr, stdout } = childProcess.spawnSync(shell, args, { encoding: "utf8", timeout: 20_000 })
  assert.strictEqual(stderr, "")
  return stdout
}

const bashCompletes = (file: string, line: string) =>
  output("bash", [
    "--norc",
    "-c",
    `source ${file}; COMP_LINE="${line}"; COMP_WORDS=($COMP_LINE)
     [[ "$COMP_LINE" == *" " ]] && COMP_WORDS+=("")
     COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMP_POINT=\${#COMP_LINE}
     _inferlog inferlog "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
     printf '%s\\n' "\${COMPREPLY[@]}"`
  ])
    .trimEnd()
    .split("\n")

const fishCompletes = (file: string, line: string) =>
  output("fish", ["--no-config", "-c", `source ${file}; complete -C "${line}"`])
    .trimEnd()
    .split("\n")
    .map((completion) => completion.split("\t")[0])

/** The line after a Tab, as the terminal shows it. */
const zshCompletes = (file: string, line: string) =>
  output("zsh", [
    "-f",
    "-c",
    `zmodload zsh/zpty; zpty shell zsh -f -i
     zpty -w shell "PS1=; autoload -U compinit; compinit -D -u; source ${file}; inferlog() { print -r -- ran: \\"\\$@\\" }; print RE''ADY"
     zpty -r shell seen '*READY*'
     zpty -w -n shell $'${line}\\t\\n'
     zpty -r shell seen '*ran: *'
     zpty -r shell seen && print -r -- "$seen"; zpty -d shell`
  ])

describe("--completions", () => {
  it.live.skipIf(!isThere("bash"))("complete commands, flags and values in bash (skipped without bash)", () =>
    Effect.gen(function* () {
      const file = yield* script("bash")
      const commands = [
        "serve",
        "init",
        "doctor",
        "accounts",
        "balance",
        "keys",
        "models",
        "requests",
        "webhooks",
        "files",
        "log",
        "backup",
        "restore",
        "audit",
        "projections",
        "nodes",
        "operators",
        "providers",
        "workers",
        "profiles",
        "login",
        "run",
        "codegen"
      ]
      assert.sameMembers(bashCompletes(file, "inferlog "), commands)
      assert.deepStrictEqual(bashCompletes(file, "inferlog log t"), ["tail"])
      assert.sameMembers(bashCompletes(file, "inferlog accounts "), [
        "create",
        "erase",
        "passwd",
        "list",
        "limits"
      ])
      assert.deepStrictEqual(bashCompletes(file, "inferlog balance t"), ["topup"])
      assert.includeMembers(bashCompletes(file, "inferlog balance topup --"), ["--amount", "--payment-id"])
      assert.includeMembers(bashCompletes(file, "inferlog log export --"), [
        "--to",
        "--follow",
        "--type",
        "--data-dir",
        "--help"
      ])
      assert.deepStrictEqual(bashCompletes(file, "inferlog requests list --status F"), ["FAILED"])
      assert.deepStrictEqual(bashCompletes(file, "inferlog --data-dir x requests s"), ["show"])
      assert.deepStrictEqual(bashCompletes(file, "inferlog --comp"), ["--completions"])
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!isThere("fish"))("complete commands, flags and values in fish (skipped without fish)", () =>
    Effect.gen(function* () {
      const file = yield* script("fish")
      assert.includeMembers(fishCompletes(file, "inferlog log "), ["tail", "export", "stats", "verify"])
      assert.includeMembers(fishCompletes(file, "inferlog log tail --"), ["--follow", "--json", "--data-dir"])
      assert.deepStrictEqual(fishCompletes(file, "inferlog requests list --status CO"), ["COMPLETED"])
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!isThere("zsh"))("complete commands and flags in zsh (skipped without zsh)", () =>
    Effect.gen(function* () {
      const file = yield* script("zsh")
      assert.include(zshCompletes(file, "inferlog log ex"), "log export")
      assert.include(zshCompletes(file, "inferlog log tail --fo"), "log tail --follow")
    }).pipe(Effect.scoped)
  )
})
