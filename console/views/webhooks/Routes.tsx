/** The routes of webhooks. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"

const webhooksRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "webhooks",
  component: lazyRouteComponent(() => import("./WebhooksView.tsx"), "WebhooksView")
})

export const webhooksRoutes = [webhooksRoute] as const
