#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Effect, Layer, Logger, References } from "effect"
import { CliConfig, Command, GlobalFlag } from "effect/cli"
import { accounts } from "./cli/Accounts.ts"
import * as Failure from "./cli/Failure.ts"
import { keys } from "./cli/Keys.ts"
import { log } from "./cli/log/Log.ts"
import * as Presenter from "./cli/Presenter.ts"
import { projections } from "./cli/projections/Projections.ts"
import { requests } from "./cli/requests/Requests.ts"
import { serve } from "./cli/Serve.ts"
import * as SettingFlags from "./cli/SettingFlags.ts"
import * as ShellCompletions from "./cli/ShellCompletions.ts"
import * as Stdout from "./cli/Stdout.ts"
import { version } from "./cli/Version.ts"

// What a command writes, the log and its keys' hashes among them, is for its owner alone.
process.umask(0o077)
Stdout.watch()

const inferlog = Command.make("inferlog").pipe(
  Command.withDescription(
    "Asynchronous model inference on an event log. Commands work beside a running server and without one. " +
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted"
  ),
  Command.withExamples([
    { command: "inferlog serve", description: "Run the server" },
    { command: "inferlog keys create --name ci", description: "Create an API key" },
    { command: "inferlog log verify", description: "Prove that the log is what was written" }
  ]),
  Command.withSubcommands([serve, accounts, keys, requests, log, projections]),
  Command.provideEffect(ConfigProvider.ConfigProvider, SettingFlags.configProvider),
  Command.withGlobalFlags([SettingFlags.DataDir, GlobalFlag.LogLevel])
)

const builtIns = [GlobalFlag.Help, GlobalFlag.Version, ShellCompletions.flagOfRoot]

inferlog.pipe(
  Command.run({ version }),
  Effect.tapCause(Failure.report),
  Effect.provide([
    NodeServices.layer,
    Presenter.layer,
    CliConfig.layer({ builtIns }),
    // Results alone go to stdout. The server sets a level of its own (LOG_LEVEL).
    Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
    Layer.succeed(References.MinimumLogLevel, "Warn")
  ]),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown: Failure.teardown })
)
