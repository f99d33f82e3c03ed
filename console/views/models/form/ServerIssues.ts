/** The issues of a 400, as those of the form. */
import type { Issue } from "#clients/typescript/ApiError.ts"
import type { InputIssue, Path } from "./InputIssues.ts"

const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`

/** @param prefix of the input in the body that was sent. */
export const of = (issues: ReadonlyArray<Issue>, prefix: Path = []): ReadonlyArray<InputIssue> =>
  issues.map(({ message, path }) => ({
    path: prefix.every((part, index) => path[index] === part) ? path.slice(prefix.length) : path,
    message: sentence(message)
  }))
