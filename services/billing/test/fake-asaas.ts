import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakePayment {
  object: 'payment';
  id: string;
  customer: string;
  billingType: string;
  value: number;
  dueDate: string;
  status: string;
  deleted: boolean;
  externalReference: string | null;
  invoiceUrl: string;
  invoiceNumber: string;
  description: string | null;
}

interface FakeCustomer {
  object: 'customer';
  id: string;
  deleted: boolean;
  cpfCnpj: string;
  externalReference: string | null;
  [field: string]: unknown;
}

/** What goes wrong with the next request: before anything has happened, or after all of it has. */
export type Mishap = 'refused' | 'hang' | 'lost answer' | 'error after' | number;

export interface FakeAsaas {
  url: string;
  customers: Map<string, FakeCustomer>;
  payments: Map<string, FakePayment>;
  /** "POST /payments", in the order they came. */
  requests: string[];
  mishaps: Mishap[];
  webhook(event: string, paymentId: string, id?: string): Buffer;
  close(): Promise<void>;
}

const apiKey = '$aact_test_key';
export const fakeAsaasKey = apiKey;

/** The part of https://docs.asaas.com/reference that billing uses: same paths, fields, statuses and error bodies. */
export async function startFakeAsaas(): Promise<FakeAsaas> {
  const customers = new Map<string, FakeCustomer>();
  const payments = new Map<string, FakePayment>();
  const requests: string[] = [];
  const mishaps: Mishap[] = [];
  let count = 0;

  const refusal = (code: string, description: string): [number, unknown] => [400, { errors: [{ code, description }] }];
  const list = (items: object[]): [number, unknown] => [
    200,
    { object: 'list', hasMore: false, totalCount: items.length, limit: 10, offset: 0, data: items },
  ];

  function answer(
    method: string,
    path: string,
    query: URLSearchParams,
    body: Record<string, unknown>,
  ): [number, unknown] {
    const [, resource, id, action] = path.split('/');
    const route = `${method} /${resource}${id === undefined ? '' : '/:id'}${action === undefined ? '' : `/${action}`}`;
    const payment = resource === 'payments' && id !== undefined ? payments.get(id) : undefined;
    const reference = query.get('externalReference');
    switch (route) {
      case 'GET /customers':
        return list([...customers.values()].filter(({ externalReference }) => externalReference === reference));
      case 'POST /customers': {
        if (body.cpfCnpj === '11222333000181') {
          return refusal('invalid_cpfCnpj', 'O CPF/CNPJ informado é inválido.');
        }
        const customer = { object: 'customer', id: `cus_${++count}`, deleted: false, ...body } as FakeCustomer;
        customers.set(customer.id, customer);
        return [200, customer];
      }
      case 'PUT /customers/:id': {
        const customer = customers.get(id!);
        return customer === undefined ? [404, {}] : [200, Object.assign(customer, body)];
      }
      case 'GET /payments':
        return list([...payments.values()].filter(({ externalReference }) => externalReference === reference));
      case 'POST /payments': {
        if (!customers.has(String(body.customer))) {
          return refusal('invalid_customer', 'Customer inválido ou não informado.');
        }
        if (!['UNDEFINED', 'BOLETO', 'CREDIT_CARD', 'PIX'].includes(String(body.billingType))) {
          return refusal('invalid_billingType', 'Forma de pagamento inválida.');
        }
        const created: FakePayment = {
          object: 'payment',
          id: `pay_${++count}`,
          customer: String(body.customer),
          billingType: String(body.billingType),
          value: Number(body.value),
          dueDate: String(body.dueDate),
          description: (body.description as string | undefined) ?? null,
          externalReference: (body.externalReference as string | undefined) ?? null,
          status: 'PENDING',
          deleted: false,
          invoiceUrl: `https://www.asaas.com/i/${count}`,
          invoiceNumber: `0000${count}`,
        };
        payments.set(created.id, created);
        return [200, created];
      }
      case 'GET /payments/:id':
        return payment === undefined ? [404, {}] : [200, payment];
      case 'GET /payments/:id/identificationField':
        return [
          200,
          { identificationField: '00190000090275928800021932978170187890000005000', nossoNumero: '6543', barCode: '1' },
        ];
      case 'GET /payments/:id/pixQrCode':
        return [
          200,
          { encodedImage: '', payload: '00020101021226730014br.gov.bcb.pix', expirationDate: '2026-12-31 23:59:59' },
        ];
      case 'DELETE /payments/:id':
        if (payment === undefined || payment.deleted || payment.status !== 'PENDING') {
          return refusal('invalid_action', 'Cobranças recebidas não podem ser removidas.');
        }
        payment.deleted = true;
        return [200, { deleted: true, id: payment.id }];
      case 'POST /payments/:id/refund':
        if (payment?.status !== 'RECEIVED') {
          return refusal('invalid_action', 'Somente é possível estornar cobranças recebidas ou confirmadas.');
        }
        payment.status = 'REFUNDED';
        return [200, payment];
      default:
        return [404, {}];
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://asaas');
    const path = pathname.replace(/^\/v3/, '');
    const method = request.method ?? '';
    requests.push(`${method} ${path}`);
    const text: string[] = [];
    for await (const chunk of request) {
      text.push(String(chunk));
    }
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.headers['access_token'] !== apiKey || !request.headers['user-agent']) {
      return send(401, {
        errors: [{ code: 'invalid_access_token', description: 'A chave de API fornecida é inválida' }],
      });
    }
    const mishap = mishaps.shift();
    if (mishap === 'refused') {
      request.socket.destroy();
      return;
    }
    if (mishap === 'hang') {
      return;
    }
    if (typeof mishap === 'number') {
      return send(mishap, {});
    }
    const [status, body] = answer(
      method,
      path,
      searchParams,
      JSON.parse(text.join('') || '{}') as Record<string, unknown>,
    );
    if (mishap === 'lost answer') {
      request.socket.destroy();
      return;
    }
    send(...(mishap === 'error after' ? ([500, {}] as const) : ([status, body] as const)));
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`,
    customers,
    payments,
    requests,
    mishaps,
    webhook(event, paymentId, id = `evt_${++count}&${count}`) {
      const payment = payments.get(paymentId);
      return Buffer.from(JSON.stringify({ id, event, dateCreated: '2026-03-10 12:00:00', payment }));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
