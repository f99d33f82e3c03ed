/** Every view of the console. Tests of all views (axe, keyboard, pictures) go through this list. */
import type { Person, World } from "./World.ts"

export interface View {
  /** Names its pictures: lower-case words with dashes. */
  readonly name: string
  /** Below `/console`. */
  readonly path: (world: Pick<World, "requests">) => string
  /** Who looks; `null` is nobody. */
  readonly who: Person | null
}

const view = (name: string, who: Person | null, path: string | View["path"]): View => ({
  name,
  who,
  path: typeof path === "string" ? () => path : path
})

export const everyView: ReadonlyArray<View> = [
  view("sign-in", null, "/sign-in"),
  view("home", "ada", ""),
  view("models", "ada", "/models"),
  view("requests", "ada", "/requests"),
  view("request", "ada", ({ requests }) => `/requests/${requests.picture}`),
  view("usage", "ada", "/usage"),
  view("webhooks", "ada", "/webhooks"),
  view("signing-secret", "ada", "/webhooks?part=secret"),
  view("webhook-test", "ada", "/webhooks?part=test"),
  view("files", "ada", "/files"),
  view("keys", "ada", "/keys"),
  view("assistants", "ada", "/assistants"),
  view("sessions", "ada", "/sessions"),
  view("overview", "operator", "/operate/overview"),
  view("log", "auditor", "/operate/audit/log")
]
