/** The routes of keys. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"

const keysRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "keys",
  /** `page`: from 1, which is the default. */
  validateSearch: (search: Record<string, unknown>): { readonly page?: number } =>
    Number.isInteger(search["page"]) && Number(search["page"]) > 1 ? { page: Number(search["page"]) } : {},
  component: lazyRouteComponent(() => import("./KeysView.tsx"), "KeysView")
})

export const keysRoutes = [keysRoute] as const
