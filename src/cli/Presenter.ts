/** Prints requested help to stdout. A wrong invocation prints only its errors, to stderr. */
import { Console } from "effect"
import { CliOutput } from "effect/cli"
import * as Output from "./Output.ts"

const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const errors = event.errors.map(({ message }) => `inferlog: ${Output.printableLines(message)}`)
    return Console.error([...errors, `Try '${event.commandPath.join(" ")} --help'.`].join("\n"))
  }
}

export const layer = CliOutput.layerPresenter(presenter)
