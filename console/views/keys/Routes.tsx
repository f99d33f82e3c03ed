/** The routes of keys. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { accountRoute } from "#console/app/Root.tsx"

const keysRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "keys",
  /** `page`: from 1, which is the default. */
  validateSearch: (search: Record<string, unknown>): { readonly page?: number } =>
    Number.isInteger(search["page"]) && Number(search["page"]) > 1 ? { page: Number(search["page"]) } : {},
  component: lazyView(() => import("./KeysView.tsx"), "KeysView")
})

export const keysRoutes = [keysRoute] as const
