#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Collectives of made-up files of torch.profiler: which op, how large, how fast.

usage: test_kineto_collectives.py PROF_IMPORT PROF_REPORT"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from kineto_case import KinetoCase, main  # noqa: E402
from kineto_files import AUTOGRAD, MM, PRODUCT, File, shapes  # noqa: E402

STORAGE = "(ncclDevKernelArgsStorage<4096ul>)"
RATES = "alg_gb_per_s,bus_gb_per_s"


def facts(name, sent, received, ranks, dtype):
    return {
        "Collective name": name,
        "In msg nelems": sent,
        "Out msg nelems": received,
        "Group size": ranks,
        "dtype": dtype,
        "Process Group Name": "3",
    }


class Collectives(KinetoCase):
    def assert_rates(self, row, *rates):
        """GB/s with six digits."""
        self.assertEqual([f"{float(cell):.6g}" for cell in row], [f"{rate:.6g}" for rate in rates])

    def test_message_and_group_of_a_call_with_shapes(self):
        """The group has 8 of 16 ranks: 2,097,152 bytes in 100 us; the bus carries 2 x 7/8 of that."""
        file = File(distributedInfo={"backend": "nccl", "rank": 0, "world_size": 16})
        vector = [[1048576]]
        file.op(
            "c10d::allreduce_",
            1000,
            40,
            shapes(
                [vector, [], [], [], [], []],
                ["TensorList", "", "", "Scalar", "Scalar", "Scalar"],
                ["", "", "", "False", "False", "-1"],
            ),
        )
        file.op(
            "record_param_comms",
            1005,
            20,
            {
                **shapes([vector, [], [], [], []], ["TensorList", "", "", "", ""]),
                **facts("allreduce", 1048576, 1048576, 8, "BFloat16"),
            },
        )
        file.annotation("nccl:all_reduce", 1006, 15, shapes(vector, ["c10::BFloat16"]))
        file.launch(
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL" + STORAGE,
            1010,
            1050,
            100,
            stream=20,
            call="cudaLaunchKernelExC",
        )
        self.assert_rows(
            file, "op,layer,dtype,bytes", [["all_reduce", "", "bfloat16", 2 * 2097152]]
        )
        self.assert_rates(self.rows(RATES)[0], 20.97152, 20.97152 * 2 * 7 / 8)

    def test_a_call_without_shapes(self):
        """What 4 ranks gather, 4,194,304 bytes, in 50 us; 3/4 of it comes from others."""
        file = File(distributedInfo={"backend": "nccl", "rank": 0, "world_size": 16})
        file.op(
            "record_param_comms", 1005, 20, facts("_allgather_base", 262144, 1048576, 4, "Float")
        )
        file.annotation("nccl:_all_gather_base", 1006, 15)
        file.launch("ncclDevKernel_AllGather_RING_LL" + STORAGE, 1010, 1050, 50, stream=20)
        self.assert_rows(
            file,
            "op,layer,params,bytes",
            [["all_gather", "", "bytes=4194304,ranks=4", 4194304 + 1048576]],
        )
        self.assert_rates(self.rows(RATES)[0], 83.88608, 83.88608 * 3 / 4)

    def test_each_collective_by_its_name(self):
        for name, word in (
            ("reduce_scatter", "reduce_scatter"),
            ("_reduce_scatter_base", "reduce_scatter"),
            ("all_to_allv", "all_to_all"),
            ("broadcast", "broadcast"),
            ("reduce", "reduce"),
            ("gather", "gather_ranks"),
            ("scatter", "scatter_ranks"),
            ("allreduce_coalesced", "all_reduce"),
            ("send", "send"),
            ("recv", "recv"),
        ):
            file = File()
            file.op("record_param_comms", 1005, 20, facts(name, 1000, 4000, 4, "Half"))
            file.launch("ncclDevKernel" + STORAGE, 1010, 1050, 50, stream=20)
            self.assert_rows(file, "op,layer", [[word, ""]])
            self.assertAlmostEqual(float(self.rows("alg_gb_per_s")[0][0]), 8000 / 50e3)

    def test_a_bucket_of_gradients(self):
        file = File()
        engine = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"
        file.op(engine, 1000, 80, tid=AUTOGRAD)
        file.op("torch::autograd::AccumulateGrad", 1002, 30, tid=AUTOGRAD)
        file.op("torch.distributed.ddp.reducer::mul_out", 1034, 2, tid=AUTOGRAD)
        file.op(
            "record_param_comms",
            1040,
            30,
            facts("allreduce", 1048576, 1048576, 2, "Float"),
            tid=AUTOGRAD,
        )
        file.annotation("nccl:all_reduce", 1042, 26, tid=AUTOGRAD)
        file.launch(
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL" + STORAGE,
            1050,
            1100,
            200,
            stream=20,
            tid=AUTOGRAD,
        )
        self.assert_rows(file, "op,dir,layer", [["all_reduce", "bprop", ""]])

    def test_arguments_of_the_range_around_a_launch(self):
        """Before torch 2.2 nothing else states the type."""
        file = File()
        file.op("record_param_comms", 1005, 20)
        file.annotation("nccl:all_reduce", 1006, 15, shapes([[1000]], ["c10::Half"]))
        file.launch("ncclKernel_AllReduce_RING_LL_Sum_half()", 1010, 1050, 50, stream=20)
        self.assert_rows(file, "op,dtype", [["all_reduce", "float16"]])
        self.assertAlmostEqual(float(self.rows("alg_gb_per_s")[0][0]), 2000 / 50e3)

    def batched(self):
        file = File()
        for name, begin in (("send", 1000), ("recv", 1015)):
            args = shapes([[[4096]]], ["TensorList"])
            file.op("c10d::" + name, begin, 10, args)
            file.op(
                "record_param_comms", begin + 2, 6, {**args, **facts(name, 4096, 4096, 2, "Float")}
            )
        file.annotation("nccl:coalesced", 1030, 20)
        file.launch("ncclDevKernel_SendRecv" + STORAGE, 1035, 1060, 30, stream=20)
        return file

    def test_sends_and_receives_that_one_kernel_runs(self):
        self.assert_rows(
            self.batched(), "op,params,bytes", [["send_recv", "bytes=16384,ranks=2,calls=2", 32768]]
        )

    def test_calls_that_were_launched_by_themselves_are_not_among_them(self):
        file = self.batched()
        file.op("record_param_comms", 900, 20, facts("allreduce", 100, 100, 2, "Float"))
        file.annotation("nccl:all_reduce", 905, 10)
        file.launch("ncclDevKernel_AllReduce" + STORAGE, 910, 930, 30, stream=20)
        self.assert_rows(file, "op", [["send_recv"], ["all_reduce"]])

    def test_without_facts_the_launch_says_what_it_is(self):
        file = File()
        file.annotation("nccl:coalesced", 1030, 20)
        file.launch("ncclDevKernel_SendRecv" + STORAGE, 1035, 1060, 30, stream=20)
        self.assert_rows(file, "op,layer", [["coalesced", ""]])


class OtherKernels(KinetoCase):
    def test_kernels_of_other_libraries_communicate(self):
        """A product runs from 1030 to 1080, the other kernel from 1060 to 1180: 100 us are not hidden."""
        for name, exposed in (
            ("void deep_ep::internode::dispatch<false, 8, true, 8192, 1, 1>(int4*)", 100),
            ("void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(__nv_bfloat16*)", 100),
            ("void deep_ep::internode_ll::combine<true, 7168, 9>(void*)", 100),
            ("void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*)", 0),
            ("nvshmemi_transfer_rma_block(int)", 100),
            ("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", 100),
            ("void sglang::cross_device_reduce_2stage<__half, 4>(sglang::RankData*)", 100),
            ("void aiter::cross_device_reduce_2stage<__half, 8>(aiter::RankData*)", 100),
            ("void quickreduce::allreduce_prototype_twoshot<int>(int)", 100),
            (
                "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(int)",
                100,
            ),
            ("ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", 100),
            ("rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)", 100),
            ("mscclKernel_Sum_half_LL_true()", 100),
            ("void my_dispatch_kernel<float>(float*)", 0),
        ):
            file = File()
            file.annotation("ProfilerStep#1", 1000, 180)
            file.op("aten::mm", 1010, 20, MM)
            file.launch(PRODUCT, 1015, 1030, 50)
            file.op("mylib::Dispatch", 1050, 20, shapes([[64]], ["c10::BFloat16"]))
            file.launch(name, 1055, 1060, 120, stream=27)
            self.assertEqual(self.imported(file), [])
            period, computing, collective = map(
                float, self.rows("period_ns,computing_pct,collective_pct", "steps")[0]
            )
            self.assertEqual(
                (period / 1000, round(computing * 1.5), round(collective * 1.5)),
                (150, 150 - exposed, exposed),
                name,
            )


if __name__ == "__main__":
    main()
