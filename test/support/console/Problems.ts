/** What must not happen while a view is used: errors, violations of the policy for contents, and calls of other servers. */
import type { BrowserContext, Page } from "playwright-core"

/** Problems of all pages of a context, as they occur. `isExpected` leaves out those that a test provokes. */
export const watch = (context: BrowserContext, origin: string, isExpected: (problem: string) => boolean) => {
  const problems: Array<string> = []
  const add = (page: Page | null, problem: string) => {
    const where = page === null ? "" : ` on ${new URL(page.url()).pathname}`
    if (!isExpected(problem)) problems.push(`${problem}${where}`)
  }
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") add(message.page(), message.text())
  })
  context.on("weberror", (error) => add(error.page(), error.error().stack ?? String(error.error())))
  context.on("request", (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url))
      add(null, `another server is called: ${url}`)
  })
  context.on("requestfailed", (request) => {
    const text = request.failure()?.errorText ?? ""
    // Streams are cut when their view is left.
    if (text !== "net::ERR_ABORTED") add(null, `${request.method()} ${request.url()} failed: ${text}`)
  })
  context.on("response", (response) => {
    if (response.status() >= 500) add(null, `${response.url()} answered ${response.status()}`)
  })
  return problems
}
