declare module '@mrmgomes/boleto-utils' {
  export function validarBoleto(line: string): {
    sucesso: boolean;
    valor: number;
    vencimentoComNovoFator2025: Date;
  };
}

declare module 'boleto-brasileiro-validator' {
  export function boleto(line: string): boolean;
}
