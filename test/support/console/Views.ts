/** Every view of the console. Tests of all views (axe, keyboard, pictures) go through this list. */
import type { Page } from "playwright-core"
import type { Varying } from "./checks/Steady.ts"
import type { Person, World } from "./World.ts"

export interface View {
  /** Names its pictures: lower-case words with dashes. */
  readonly name: string
  /** Below `/console`. */
  readonly path: (world: Pick<World, "accountId" | "requests">) => string
  /** Who looks; `null` is nobody. */
  readonly who: Person | null
  /** What pictures leave out, because it depends on what happens meanwhile. */
  readonly varying: Varying
}

const view = (
  name: string,
  who: Person | null,
  path: string | View["path"],
  varying: Varying = {}
): View => ({
  name,
  who,
  varying,
  path: typeof path === "string" ? () => path : path
})

export const everyView: ReadonlyArray<View> = [
  view("sign-in", null, "/sign-in"),
  // The newest models, of which some are published at the same time.
  view("home", "ada", "", { removed: "main article:nth-child(n + 5)" }),
  view("models", "ada", "/models", { unsorted: "main nav, main :has(> article)" }),
  view("model", "ada", "/models/acme/upscale"),
  view("requests", "ada", "/requests"),
  view("no-requests", "empty", "/requests"),
  view("request-succeeded", "ada", ({ requests }) => `/requests/${requests.picture}`),
  view("request-failed", "ada", ({ requests }) => `/requests/${requests.failed}`),
  view("request-waiting", "ada", ({ requests }) => `/requests/${requests.waiting}`),
  view("usage", "ada", "/usage", { figures: true, hidden: "main svg[role=img]" }),
  view("webhooks", "ada", "/webhooks", { figures: true }),
  view("signing-secret", "ada", "/webhooks?part=secret"),
  view("webhook-test", "ada", "/webhooks?part=test"),
  view("files", "ada", "/files"),
  view("keys", "ada", "/keys"),
  view("assistants", "ada", "/assistants"),
  view("sessions", "ada", "/sessions"),
  view("overview", "operator", "/operate/overview", { figures: true }),
  view("operate-models", "operator", "/operate/models", { figures: true }),
  view("operate-providers", "operator", "/operate/providers"),
  view("operate-workers", "operator", "/operate/workers"),
  view("operate-nodes", "operator", "/operate/nodes"),
  view("operate-projections", "operator", "/operate/projections", { figures: true }),
  view("operate-accounts", "owner", "/operate/accounts", { unsorted: "tbody" }),
  view("operate-account", "owner", ({ accountId }) => `/operate/accounts/${accountId}`, {
    unsorted: "tbody"
  }),
  view("operate-requests", "operator", "/operate/requests"),
  view("operate-request", "operator", ({ requests }) => `/operate/requests/${requests.picture}`, {
    figures: true
  }),
  view("operate-log", "operator", "/operate/log", { removed: "main [data-measured]" }),
  view("log", "auditor", "/operate/audit/log", { figures: true }),
  view("books", "auditor", "/operate/audit/books"),
  view("journal", "auditor", "/operate/audit/journal", { hidden: "main ul[aria-label^='Events of'] *" }),
  view("balance", "auditor", "/operate/audit/balance"),
  view("actions", "auditor", "/operate/audit/actions"),
  view("operators", "owner", "/operate/operators", { unsorted: "tbody" })
]

/** The windows in which views are looked at, in CSS pixels. */
export const forms = {
  narrow: { width: 360, height: 800 },
  usual: { width: 1280, height: 800 },
  wide: { width: 2560, height: 1440 }
} as const

export const toDark = async (page: Page): Promise<void> => {
  await page.emulateMedia({ colorScheme: "dark" })
  // Colours change in transitions, even if in short ones.
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))
  })
}
