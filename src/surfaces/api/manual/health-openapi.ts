/** The health of the process, as the OpenAPI document describes it. */
import { operation, type Paths, type Schema } from '../operation.ts'

export const healthPaths = (): Paths => ({
  '/health/live': operation('get', [{}], {
    id: 'live',
    tag: 'Health',
    summary: 'Is the process there?',
    description: 'Answers as long as the process runs. Not rate-limited.',
    answers: {
      200: {
        description: 'It is.',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['live'],
              properties: { live: { type: 'boolean', const: true } },
            },
            example: { live: true },
          },
        },
      },
    },
    refused: ['malformed_request', 'headers_too_large'],
  }),
  '/health/ready': operation('get', [{}], {
    id: 'ready',
    tag: 'Health',
    summary: 'Can it do its work?',
    description:
      'Asks the database. After a write was refused for want of disk space, a write that needs space must succeed first. A process that is about to end is not ready. Not rate-limited.',
    answers: {
      200: {
        description: 'Yes.',
        content: {
          'application/json': { schema: readiness, example: { ready: true, database: 'reachable' } },
        },
      },
      503: {
        description: 'No: the database cannot be reached (`away`), or its disk is full (`full`).',
        content: { 'application/json': { schema: readiness, example: { ready: false, database: 'away' } } },
      },
    },
    refused: ['malformed_request', 'headers_too_large'],
  }),
})

const readiness: Schema = {
  type: 'object',
  required: ['ready', 'database'],
  properties: { ready: { type: 'boolean' }, database: { enum: ['reachable', 'full', 'away'] } },
}
