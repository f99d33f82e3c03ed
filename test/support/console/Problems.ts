/** What must not happen while a view is used: errors, violations of the policy for contents, and calls of other servers. */
import type { BrowserContext, ConsoleMessage, Page, Request, Response } from "playwright-core"

/** Problems of a page, or of all pages of a context, as they occur. `isExpected` leaves out those that a test provokes. */
export const watch = (
  watched: BrowserContext | Page,
  origin: string,
  isExpected: (problem: string) => boolean
): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const add = (page: Page | null, problem: string) => {
    const where = page === null ? "" : ` on ${new URL(page.url()).pathname}`
    if (!isExpected(problem)) problems.push(`${problem}${where}`)
  }
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === "error" || message.type() === "warning") add(message.page(), message.text())
  }
  const onError = (page: Page | null, error: Error) => add(page, error.stack ?? String(error))
  const onRequest = (request: Request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url))
      add(null, `another server is called: ${url}`)
  }
  const onFailed = (request: Request) => {
    const text = request.failure()?.errorText ?? ""
    // Streams are cut when their view is left.
    if (text !== "net::ERR_ABORTED") add(null, `${request.method()} ${request.url()} failed: ${text}`)
  }
  const onResponse = (response: Response) => {
    if (response.status() >= 500) add(null, `${response.url()} answered ${response.status()}`)
  }
  if ("newPage" in watched) {
    watched.on("console", onConsole)
    watched.on("weberror", (error) => onError(error.page(), error.error()))
    watched.on("request", onRequest).on("requestfailed", onFailed).on("response", onResponse)
  } else {
    watched.on("console", onConsole)
    watched.on("pageerror", (error) => onError(watched, error))
    watched.on("request", onRequest).on("requestfailed", onFailed).on("response", onResponse)
  }
  return problems
}
