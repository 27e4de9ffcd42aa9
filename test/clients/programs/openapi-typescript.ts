import createClient from 'openapi-fetch'
import type { paths } from './generated/openapi-typescript'
import { order, signedFetch, tell, url } from './shop'

async function main(): Promise<void> {
  const inlet = createClient<paths>({ baseUrl: url, fetch: signedFetch })
  const made = await inlet.POST('/api/v1/requests/deposit/create', { body: order })
  if (!made.data) throw new Error(made.error.detail)
  const { id, amount_cents } = made.data
  const paid = await inlet.POST('/api/v1/sandbox/transfers', { body: { deposit: id, cents: amount_cents } })
  const read = await inlet.GET('/api/v1/requests/deposit/{id}', { params: { path: { id } } })
  const list = await inlet.GET('/api/v1/events', { params: { query: { after: 0 } } })
  const event = list.data?.events.find(({ data }) => data.id === id)
  tell(amount_cents, paid.data?.transfer.cents, read.data?.received_cents, event?.data.amount_cents)
}

void main()
