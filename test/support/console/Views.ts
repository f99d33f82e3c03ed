/** Every view of the console. Tests of all views (axe, keyboard, pictures) go through this list. */
import type { Person, World } from "./World.ts"

export interface View {
  /** Names its pictures: lower-case words with dashes. */
  readonly name: string
  /** Below `/console`. */
  readonly path: (world: Pick<World, "accountId" | "requests">) => string
  /** Who looks; `null` is nobody. */
  readonly who: Person | null
  /** Its figures differ from run to run, because they are of what happens meanwhile: pictures have others. */
  readonly figures: boolean
}

const view = (name: string, who: Person | null, path: string | View["path"], figures = false): View => ({
  name,
  who,
  figures,
  path: typeof path === "string" ? () => path : path
})

export const everyView: ReadonlyArray<View> = [
  view("sign-in", null, "/sign-in"),
  view("home", "ada", ""),
  view("models", "ada", "/models"),
  view("model", "ada", "/models/acme/upscale"),
  view("requests", "ada", "/requests"),
  view("no-requests", "empty", "/requests"),
  view("request-succeeded", "ada", ({ requests }) => `/requests/${requests.picture}`),
  view("request-failed", "ada", ({ requests }) => `/requests/${requests.failed}`),
  view("request-waiting", "ada", ({ requests }) => `/requests/${requests.waiting}`),
  view("usage", "ada", "/usage"),
  view("webhooks", "ada", "/webhooks"),
  view("signing-secret", "ada", "/webhooks?part=secret"),
  view("webhook-test", "ada", "/webhooks?part=test"),
  view("files", "ada", "/files"),
  view("keys", "ada", "/keys"),
  view("assistants", "ada", "/assistants"),
  view("sessions", "ada", "/sessions"),
  view("overview", "operator", "/operate/overview"),
  view("operate-models", "operator", "/operate/models"),
  view("operate-providers", "operator", "/operate/providers"),
  view("operate-workers", "operator", "/operate/workers"),
  view("operate-nodes", "operator", "/operate/nodes"),
  view("operate-projections", "operator", "/operate/projections"),
  view("operate-accounts", "owner", "/operate/accounts"),
  view("operate-account", "owner", ({ accountId }) => `/operate/accounts/${accountId}`),
  view("operate-requests", "operator", "/operate/requests"),
  view("operate-request", "operator", ({ requests }) => `/operate/requests/${requests.picture}`),
  view("operate-log", "operator", "/operate/log"),
  view("log", "auditor", "/operate/audit/log"),
  view("books", "auditor", "/operate/audit/books"),
  view("journal", "auditor", "/operate/audit/journal"),
  view("balance", "auditor", "/operate/audit/balance"),
  view("actions", "auditor", "/operate/audit/actions"),
  view("operators", "owner", "/operate/operators")
]
