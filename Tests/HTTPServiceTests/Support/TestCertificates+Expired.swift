import TestSupport

extension TestCertificates {
    /// A self-signed certificate that was valid on the first day of 2020.
    static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBCzCBsgIBATAKBggqhkjOPQQDAjASMRAwDgYDVQQDDAdleHBpcmVkMB4XDTIw
        MDEwMTAwMDAwMFoXDTIwMDEwMjAwMDAwMFowEjEQMA4GA1UEAwwHZXhwaXJlZDBZ
        MBMGByqGSM49AgEGCCqGSM49AwEHA0IABJn2aqOp/gnetl0Lah25QfxfCz5mn6OO
        oAUi6Pb2cx6WFOZpu/QfUc6ve0XPYTDi/vaFsAWfP01uzZN6L4HvoHUwCgYIKoZI
        zj0EAwIDSAAwRQIhAMHHi9hqGax2inMe1rD6CVEH7+ucynnp7ax0PH57dHldAiB/
        uH5062xG2pGqK6UcVs1IRDPhx6pcCL/x3OiqELpj8w==
        -----END CERTIFICATE-----
        """
    static let expiredKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbgeRhP0p/EO+MDAP
        CABTTRgo+AtM2btocGzd7qJHVP6hRANCAASZ9mqjqf4J3rZdC2oduUH8Xws+Zp+j
        jqAFIuj29nMelhTmabv0H1HOr3tFz2Ew4v72hbAFnz9Nbs2Tei+B76B1
        -----END PRIVATE KEY-----
        """
}
